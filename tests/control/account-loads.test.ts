import { describe, expect, it } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import { platformPerformance } from '../../src/catalog/platform-performance.ts'
import type { DaysAnswer, LoadRecord } from '../../src/contract/console.ts'
import { beginLoad, failLoad } from '../../src/ingest/load-state.ts'
import { publishLoad } from '../../src/ingest/publish-load.ts'
import type { FiledDay } from '../../src/ingest/stage-days.ts'
import { updateAccount } from '../../src/store/accounts.ts'
import type { Findings, LoadMode } from '../../src/store/loads.ts'
import { openControlService } from '../setup/control-service.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const none: Findings = { count: 0, first: [] }

describe.each(databases)('with the control data in %s', async (database) => {
  const store = await openStoreAt(await makePlace(database))
  const { clock, click, makeAccount, signIn } = await openControlService(store)
  type Loading = { mode?: LoadMode; cube?: string; files?: readonly string[]; warnings?: Findings }

  /** Publishes a load with a number of rows for each day. */
  const load = async (days: readonly FiledDay[], options: Loading = {}): Promise<number> => {
    const { mode = 'replace', cube = auctions.name, files = ['facts.csv'], warnings = none } = options
    const id = await beginLoad(store, { cube, mode, loadedBy: 'ada', now: clock.now })
    const named = files.map((name) => ({ name, bytes: 7, checksum: `${name} of ${id}` }))
    const rows = days.reduce((sum, day) => sum + (day.rows ?? 0), 0)
    const made = { id, cube, mode, days, rows, files: named, warnings, now: clock.now + 1_000 }
    expect(await publishLoad(store, made)).toMatchObject({ refusal: undefined })
    return id
  }
  const openAccount = async () => {
    const { id } = await makeAccount()
    return { id, cookie: (await signIn(id, 'member')).cookie }
  }
  const readDays = async (cookie: string, cube = 'auctions'): Promise<DaysAnswer> =>
    (await click(cookie, 'GET', `/days?cube=${cube}`)).body
  const readLoads = async (cookie: string, more = ''): Promise<{ data: readonly LoadRecord[]; next: string | null }> =>
    (await click(cookie, 'GET', `/loads?cube=auctions${more}`)).body

  describe('loaded days', () => {
    it('are listed with their numbers of rows and loads', async () => {
      const { id: account, cookie } = await openAccount()
      expect(await readDays(cookie)).toEqual({ oldest: '2025-10-14', today: '2026-11-14', data: [] })
      const rows = 9_000_000_000
      await load([
        { account, day: '2026-11-12', rows: 5 },
        { account, day: '2026-11-13', rows },
      ])
      await load([{ account, day: '2026-11-13', rows: 2 }], { mode: 'append' })
      await load([{ account, day: '2026-11-12', rows: 6 }])
      expect((await readDays(cookie)).data).toEqual([
        { day: '2026-11-12', rows: 6, loads: 1 },
        { day: '2026-11-13', rows: rows + 2, loads: 2 },
      ])
      // The other name of the cube works too, and another cube has other days.
      expect((await readDays(cookie, auctions.name)).data).toHaveLength(2)
      expect((await readDays(cookie, 'platform-performance')).data).toEqual([])
    })

    it('are listed only if they can be queried', async () => {
      const { id: account, cookie } = await openAccount()
      await load([
        { account, day: '2025-10-13', rows: 1 },
        { account, day: '2025-10-14', rows: 1 },
      ])
      expect((await readDays(cookie)).data).toEqual([{ day: '2025-10-14', rows: 1, loads: 1 }])
    })

    it('have no number of rows if an earlier version loaded some of them', async () => {
      const { id: account, cookie } = await openAccount()
      await load([{ account, day: '2026-11-13' }])
      await load([{ account, day: '2026-11-13', rows: 2 }], { mode: 'append' })
      expect((await readDays(cookie)).data).toEqual([{ day: '2026-11-13', rows: null, loads: 2 }])
    })

    it('are only those of the own account', async () => {
      const [{ id: account }, { cookie }] = [await openAccount(), await openAccount()]
      await load([{ account, day: '2026-11-13', rows: 1 }])
      expect((await readDays(cookie)).data).toEqual([])
    })
  })

  describe('loads', () => {
    const warnings: Findings = {
      count: 30,
      first: [{ file: '/srv/in/b.csv', row: 4, column: 'clicks', reason: '9 is more than cleared, 8' }],
    }

    it('are listed with files and warnings if all their facts belong to the account', async () => {
      const { id: account, cookie } = await openAccount()
      const days = ['2026-11-11', '2026-11-13'].map((day) => ({ account, day, rows: 4 }))
      const files = ['/srv/in/a.csv', 'https://files.example/x/b.csv', 'standard input']
      const id = await load(days, { files, warnings, mode: 'append' })
      expect(await readLoads(cookie)).toEqual({
        data: [
          {
            id,
            cube: auctions.name,
            mode: 'append',
            loaded_by: 'ada',
            started_at: new Date(clock.now).toISOString(),
            finished_at: new Date(clock.now + 1_000).toISOString(),
            days: 2,
            first_day: '2026-11-11',
            last_day: '2026-11-13',
            rows: 8,
            file_count: 3,
            // The folders of files are not shown.
            files: ['a.csv', 'b.csv', 'standard input'].map((name) => ({ name, bytes: 7 })),
            warnings: { count: 30, first: [{ ...warnings.first[0], file: 'b.csv' }] },
          },
        ],
        next: null,
      })
    })

    it('with facts of other accounts are listed without files and warnings', async () => {
      const [one, other, third] = [await openAccount(), await openAccount(), await openAccount()]
      const days = [
        { account: one.id, day: '2026-11-13', rows: 3 },
        { account: other.id, day: '2026-11-12', rows: 500 },
        { account: other.id, day: '2026-11-13', rows: 500 },
      ]
      const id = await load(days, { warnings, files: [`${other.id}.csv`] })
      const answer = await click(one.cookie, 'GET', '/loads?cube=auctions')
      expect(answer.body.data).toMatchObject([
        { id, days: 1, first_day: '2026-11-13', last_day: '2026-11-13', rows: 3 },
      ])
      expect(answer.body.data).toMatchObject([{ file_count: null, files: null, warnings: null }])
      expect(answer.text).not.toContain(other.id)
      expect((await readLoads(other.cookie)).data).toMatchObject([{ id, days: 2, rows: 1_000, files: null }])
      expect((await readLoads(third.cookie)).data).toEqual([])
      // This holds even if nothing of the other account is visible any more.
      await load(days.slice(1))
      expect((await readLoads(one.cookie)).data).toMatchObject([{ id, file_count: null, files: null, warnings: null }])
    })

    it('are listed while some of their days are visible, with only those days', async () => {
      const { id: account, cookie } = await openAccount()
      const days = ['2026-11-11', '2026-11-12', '2026-11-13'].map((day) => ({ account, day, rows: 4 }))
      const first = await load(days)
      await failLoad(store, { id: await beginLoad(store, { cube: auctions.name, now: clock.now }), now: clock.now })
      const second = await load(days.slice(1))
      expect((await readLoads(cookie)).data).toMatchObject([
        { id: second, days: 2, rows: 8 },
        { id: first, days: 1, first_day: '2026-11-11', last_day: '2026-11-11', rows: 4 },
      ])
      const third = await load(days)
      expect((await readLoads(cookie)).data).toMatchObject([{ id: third, days: 3 }])
    })

    it('of an earlier version have neither rows nor warnings, because these were not recorded', async () => {
      const { id: account, cookie } = await openAccount()
      const id = await load([{ account, day: '2026-11-13' }])
      await store.updateTable('loads').set({ warnings: null, loadedBy: '' }).where('id', '=', id).execute()
      expect((await readLoads(cookie)).data).toMatchObject([{ rows: null, warnings: null, loaded_by: null }])
    })

    it('with very many files list the first twenty', async () => {
      const { id: account, cookie } = await openAccount()
      await load([{ account, day: '2026-11-13', rows: 1 }], {
        files: Array.from({ length: 30 }, (_, index) => `${index}.csv`),
      })
      const [shown] = (await readLoads(cookie)).data
      expect(shown).toMatchObject({ file_count: 30 })
      expect(shown!.files).toHaveLength(20)
    })

    it('are paginated, newest first, and filtered by cube', async () => {
      const { id: account, cookie } = await openAccount()
      const ids = []
      for (let count = 0; count < 5; count++) {
        ids.push(await load([{ account, day: '2026-11-13', rows: 1 }], { mode: 'append' }))
        await load([{ account, day: '2026-11-13', rows: 1 }], { mode: 'append', cube: platformPerformance.name })
      }
      const pages: number[][] = []
      for (let more = '&limit=2'; more !== '';) {
        const { data, next } = await readLoads(cookie, more)
        pages.push(data.map(({ id }) => id))
        more = next === null ? '' : `&limit=2&before=${next}`
      }
      const [a, b, c, d, e] = ids
      expect(pages).toEqual([[e, d], [c, b], [a]])
    })
  })

  it('days and loads need a session, an allowed cube and valid parameters', async () => {
    const { id, cookie } = await openAccount()
    for (const path of ['/days', '/loads']) {
      expect((await click('', 'GET', `${path}?cube=auctions`)).body).toMatchObject({
        status: 401,
        code: 'sign_in_needed',
      })
      expect(await click(cookie, 'POST', path)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
      for (const wrong of ['', '?cube=', '?cube=auction', '?cube=auctions&x=1', '?cube=auctions&cube=auctions']) {
        expect((await click(cookie, 'GET', path + wrong)).body).toMatchObject({
          status: 400,
          code: 'invalid_parameter',
        })
      }
    }
    for (const wrong of [
      'limit=0',
      'limit=101',
      'before=x',
      'before=-1',
      'before=1.5',
      'before=',
      'before=0x1',
      'before=%201',
      'before=1e1',
    ]) {
      expect((await click(cookie, 'GET', `/loads?cube=auctions&${wrong}`)).body).toMatchObject({
        status: 400,
        code: 'invalid_parameter',
      })
    }
    await updateAccount(store, id, { cubes: [platformPerformance] })
    for (const path of ['/days', '/loads']) {
      expect((await click(cookie, 'GET', `${path}?cube=auctions`)).body).toMatchObject({
        status: 403,
        code: 'cube_not_allowed',
      })
      expect((await click(cookie, 'GET', `${path}?cube=platform-performance`)).status).toBe(200)
    }
  })
})
