import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fc from 'fast-check'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Portion } from '../../src/facts/facts.ts'
import { listLoads } from '../../src/ingest/list-loads.ts'
import { beginLoad, failLoad, updateOpenLoad } from '../../src/ingest/load-state.ts'
import { publishLoad } from '../../src/ingest/publish-load.ts'
import { restoreDays, retireDaysBefore } from '../../src/ingest/retire-old.ts'
import {
  findRetiredDay,
  forgetRetired,
  endSilentLoads,
  listUnsweptLoads,
  markLoadsSwept,
  sweepFacts,
} from '../../src/ingest/sweep-facts.ts'
import { addDays } from '../../src/query/day.ts'
import type { FiledDay } from '../../src/ingest/stage-days.ts'
import { findAccount, insertAccount } from '../../src/store/accounts.ts'
import { listAudit } from '../../src/access/list-audit.ts'
import {
  findLoadedRange,
  findVisibleLoads,
  type AccountDay,
  type LoadedFile,
  type LoadMode,
} from '../../src/store/loads.ts'
import { createStore, storeFile } from '../../src/store/open-store.ts'
import { createPostgresDialect } from '../../src/store/postgres.ts'
import { createSqliteDialect } from '../../src/store/sqlite.ts'
import { scriptFacts } from '../setup/scripted-facts.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const now = Date.UTC(2026, 10, 14)
const firstDay = '2026-11-01'
const dayMs = 86_400_000
let made = 0

describe.each(databases)('loads, with the control data in %s', async (database) => {
  const place = await makePlace(database)
  const store = await openStoreAt(place)

  /** A cube and accounts of this test only. */
  const openCube = async (...names: readonly string[]) => {
    const cube = `cube_${made++}`
    const accounts = names.map((name) => `${name}-${made++}`)
    for (const id of accounts) await insertAccount(store, { id, name: id, createdAt: now })
    return {
      cube,
      accounts,
      begin: (mode: LoadMode = 'replace', at = now) => beginLoad(store, { cube, mode, loadedBy: 'test', now: at }),
      publish: (
        id: number,
        days: readonly FiledDay[],
        options: {
          mode?: LoadMode
          files?: readonly LoadedFile[]
          mayRepeat?: boolean
          mayCreateAccounts?: boolean
          now?: number
        } = {},
      ) => publishLoad(store, { id, cube, days, rows: days.length, now, ...options }),
      /** Returns the visible loads of each day. */
      see: async (account: string) => {
        const found = await findVisibleLoads(store, { cube, account, start: '2020-01-01', end: '2030-01-01' })
        return found.map(({ day, load }) => ({ day, load }))
      },
      /** Returns everything that was replaced, and removes it like a sweep. */
      takeRetired: async (before = now + 1) => {
        const all: Portion[] = []
        for (;;) {
          const stale = await findRetiredDay(store, { cube, before })
          if (stale.length === 0) return all
          expect(new Set(stale.map(({ day }) => day)).size).toBe(1)
          all.push(...stale)
          await forgetRetired(store, cube, stale)
        }
      },
    }
  }

  it('published in any order give the same result as one after the other, in the order in which they began', async () => {
    const everyDay = [0, 1].flatMap((account) =>
      [0, 1, 2, 3].map((back) => ({ account, day: addDays(firstDay, back) })),
    )
    const anyLoad = fc.record({
      mode: fc.constantFrom<LoadMode>('replace', 'append'),
      days: fc.subarray(everyDay, { minLength: 1 }),
      end: fc.constantFrom('published', 'published', 'published', 'failed', 'never'),
      turn: fc.double({ noNaN: true }),
    })
    const check = async (planned: readonly (typeof anyLoad extends fc.Arbitrary<infer Load> ? Load : never)[]) => {
      const { accounts, begin, publish, see, takeRetired } = await openCube('left', 'right')
      const loads = []
      for (const { days, ...load } of planned) {
        const named = days.map(({ account, day }) => ({ account: accounts[account]!, day }))
        loads.push({ ...load, id: await begin(load.mode), days: named })
      }
      const accepted: typeof loads = []
      for (const load of loads.toSorted((a, b) => a.turn - b.turn)) {
        const { id, mode, days, end } = load
        if (end === 'failed') await failLoad(store, { id, now })
        if (end !== 'published') continue
        const isTooLate = accepted.some(
          (other) => other.id > id && other.mode === 'replace' && other.days.some((day) => has(days, day)),
        )
        const { refusal } = await publish(id, days, { mode })
        expect(refusal).toBe(isTooLate ? 'newer' : undefined)
        if (!isTooLate) accepted.push(load)
      }

      const expected = new Map<string, number[]>()
      for (const { id, mode, days } of accepted.toSorted((a, b) => a.id - b.id)) {
        for (const { account, day } of days) {
          const key = `${account} ${day}`
          expected.set(key, mode === 'replace' ? [id] : [...(expected.get(key) ?? []), id])
        }
      }
      const seen: Portion[] = []
      for (const account of accounts) seen.push(...(await see(account)).map((each) => ({ account, ...each })))
      expect(seen.map(describeDay).toSorted()).toEqual(
        [...expected].flatMap(([key, ids]) => ids.map((id) => `${key} ${id}`)).toSorted(),
      )
      // Retired are exactly the portions that were visible and no longer are.
      const shown = new Set(seen.map(describeDay))
      const gone = accepted.flatMap(({ id, days }) =>
        days.map((day) => describeDay({ ...day, load: id })).filter((each) => !shown.has(each)),
      )
      expect((await takeRetired()).map(describeDay).toSorted()).toEqual(gone.toSorted())
    }
    await fc.assert(fc.asyncProperty(fc.array(anyLoad, { minLength: 1, maxLength: 8 }), check), {
      numRuns: 80,
      seed: 11,
    })
  })

  it('are replaced atomically, however many days they have', async () => {
    const { accounts, begin, publish, see } = await openCube('reader')
    const account = accounts[0]!
    const days = Array.from({ length: 900 }, (_, index) => ({ account, day: addDays('2025-01-01', index) }))
    await publish(await begin(), days)
    const swapping = { isOver: false }
    const reading = (async () => {
      while (!swapping.isOver) {
        const seen = await see(account)
        expect(seen).toHaveLength(days.length)
        expect(new Set(seen.map(({ load }) => load)).size).toBe(1)
      }
    })()
    const ids: number[] = []
    for (let round = 0; round < 5; round++) {
      const id = await begin()
      expect(await publish(id, days)).toEqual({ refusal: undefined, created: [] })
      ids.push(id)
    }
    swapping.isOver = true
    await reading
    expect(new Set((await see(account)).map(({ load }) => load))).toEqual(new Set(ids.slice(-1)))
  })

  it('of one day that are published at once leave only the facts of the last one that began', async () => {
    const { accounts, begin, publish, see } = await openCube('left', 'right')
    const days = accounts.flatMap((account) => [0, 1].map((more) => ({ account, day: addDays(firstDay, more) })))
    const ids = [await begin(), await begin(), await begin(), await begin()]
    const outcomes = await Promise.all(
      ids.toReversed().map((id, turn) => publish(id, turn % 2 === 0 ? days : days.toReversed())),
    )
    expect(outcomes.filter(({ refusal }) => refusal !== undefined && refusal !== 'newer')).toEqual([])
    for (const account of accounts) {
      const last = ids.at(-1)!
      expect(await see(account)).toEqual([0, 1].map((more) => ({ day: addDays(firstDay, more), load: last })))
    }
  })

  it('hold the write lock for a few statements, however many days they have', async () => {
    const dialect =
      database === 'SQLite' ? createSqliteDialect(storeFile(place.folder)) : createPostgresDialect(place.databaseUrl!)
    const statements: string[] = []
    const watched = createStore(dialect, ({ query }) => void statements.push(query.sql))
    onTestFinished(() => watched.destroy())
    const { cube, accounts, begin } = await openCube('wide')
    const publishDays = async (count: number) => {
      const id = await begin()
      const days = Array.from({ length: count }, (_, index) => ({
        account: accounts[0]!,
        day: addDays('2020-01-01', index),
      }))
      statements.length = 0
      expect(await publishLoad(watched, { id, cube, days, rows: 1, now })).toMatchObject({ refusal: undefined })
      const [first, last] = [/^update "loads"/, /^insert into "?visible_loads/i].map((text) =>
        statements.findLastIndex((each) => text.test(each)),
      )
      return statements.slice(first, last! + 1)
    }
    await publishDays(2_000)
    const few = await publishDays(1)
    expect(few.length).toBeLessThanOrEqual(8)
    expect(await publishDays(2_000)).toEqual(few)
  })

  it('whose loader is killed while it stages them leave nothing behind after the sweep', async () => {
    const { cube, accounts, begin, see } = await openCube('killed')
    const id = await begin()
    const script = `
      import { stageDays } from './src/ingest/stage-days.ts'
      import { openStore } from './src/store/open-store.ts'
      const store = await openStore(${JSON.stringify(place)})
      await stageDays(store, ${id}, [{ account: ${JSON.stringify(accounts[0])}, day: '${firstDay}' }])
      process.stdout.write('staged')
      setInterval(() => {}, 1_000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const staged = () => store.selectFrom('stagedDays').select('day').where('loadId', '=', id).execute()
    const sweep = (at: number) =>
      sweepFacts({ facts: scriptFacts(), store, log: pino({ level: 'silent' }), now: () => at })
    await sweep(now + 59_000)
    expect(await staged()).toHaveLength(1)
    await sweep(now + 61_000)
    expect(await staged()).toEqual([])
    expect(await see(accounts[0]!)).toEqual([])
    expect(await listLoads(store, { cube, limit: 1 })).toMatchObject([{ id, state: 'failed' }])
  })

  it('with an unknown account are refused, and accepted after the account is created', async () => {
    const { cube, accounts, begin, publish, see } = await openCube('known')
    const id = await begin()
    const days = [...accounts, `missing-${cube}`].map((account) => ({ account, day: firstDay }))
    await expect(publish(id, days)).rejects.toThrow('an account of the load is gone')
    expect(await see(accounts[0]!)).toEqual([])
    expect(await findAccount(store, `missing-${cube}`)).toBeUndefined()
    expect(await listLoads(store, { cube, limit: 9 })).toMatchObject([{ id, state: 'loading', rows: null }])

    await insertAccount(store, { id: `missing-${cube}`, name: 'x', createdAt: now })
    expect(await publish(id, days)).toEqual({ refusal: undefined, created: [] })
    expect(await see(`missing-${cube}`)).toEqual([{ day: firstDay, load: id }])
  })

  it('create accounts only if allowed, once, with an audit entry, and not if they are refused', async () => {
    const { cube, accounts, begin, publish, see } = await openCube('known')
    const fresh = ['a', 'b', 'c'].map((name) => `${name}-${cube}`)
    const days = fresh.map((account) => ({ account, day: firstDay }))
    const ids = await Promise.all(Array.from({ length: 6 }, () => begin('append')))
    const outcomes = await Promise.all(
      ids.map((id, turn) =>
        publish(id, turn % 2 === 0 ? days : days.toReversed(), { mode: 'append', mayCreateAccounts: true }),
      ),
    )
    expect(outcomes.flatMap((outcome) => ('created' in outcome ? outcome.created : [])).toSorted()).toEqual(fresh)
    for (const id of fresh) {
      expect(await findAccount(store, id)).toMatchObject({ id, name: id, disabledAt: null })
      expect(await listAudit(store, { accountId: id, limit: 9 })).toMatchObject([
        { action: 'account.created', actor: 'operator', subject: id, at: now },
      ])
      expect(await see(id)).toHaveLength(6)
    }

    const older = await begin()
    const newer = await begin()
    const silent = await begin()
    const taken = { account: accounts[0]!, day: firstDay }
    await publish(newer, [taken])
    await failLoad(store, { id: silent, now })
    for (const id of [older, silent]) {
      const extra = { account: `extra-${cube}`, day: firstDay }
      expect((await publish(id, [taken, extra], { mayCreateAccounts: true })).refusal).toBeDefined()
      expect(await findAccount(store, `extra-${cube}`)).toBeUndefined()
      expect(await listAudit(store, { accountId: `extra-${cube}`, limit: 9 })).toEqual([])
    }
  })

  it('that a later load has overtaken are refused, recorded as failed, and swept', async () => {
    const { cube, accounts, begin, publish, see, takeRetired } = await openCube('slow')
    const account = accounts[0]!
    const slow = await begin()
    const quick = await begin()
    await publish(quick, [{ account, day: firstDay }])
    const days = [firstDay, addDays(firstDay, 1)].map((day) => ({ account, day }))
    expect(await publish(slow, days)).toEqual({ refusal: 'newer', load: quick })
    expect(await see(account)).toEqual([{ day: firstDay, load: quick }])
    expect(await takeRetired()).toEqual([])
    expect(await listUnsweptLoads(store, cube)).toEqual([slow])
    expect(await listLoads(store, { cube, limit: 9 })).toMatchObject([
      { id: quick, state: 'visible' },
      { id: slow, state: 'failed', rows: 2, failureReason: expect.stringContaining(`Load ${quick}`) },
    ])
    expect((await publish(slow, days)).refusal).toBe('given_up')
  })

  it('without a sign of life are given up, cannot be published then, and are swept once', async () => {
    const { cube, accounts, begin, publish, see } = await openCube('silent')
    const days = [{ account: accounts[0]!, day: firstDay }]
    const [silent, alive, done] = [await begin(), await begin(), await begin()]
    await publish(done, days)
    const keepAlive = (id: number, at: number) => updateOpenLoad(store, id, { aliveAt: at })
    expect(await keepAlive(alive, now + 50_000)).toBe(true)
    expect(await keepAlive(done, now + 50_000)).toBe(false)

    await endSilentLoads(store, { silentSince: now, now })
    expect(await listUnsweptLoads(store, cube)).toEqual([])
    await endSilentLoads(store, { silentSince: now + 1, now: now + 60_000 })
    expect(await listUnsweptLoads(store, cube)).toEqual([silent])
    expect(await keepAlive(silent, now + 60_001)).toBe(false)
    expect(await publish(silent, days)).toEqual({ refusal: 'given_up' })
    expect(await listLoads(store, { cube, limit: 9 })).toMatchObject([
      { id: done, state: 'visible', finishedAt: now },
      { id: alive, state: 'loading', finishedAt: null },
      {
        id: silent,
        state: 'failed',
        finishedAt: now + 60_000,
        failureReason: expect.stringMatching(/was interrupted/),
      },
    ])
    expect(await see(accounts[0]!)).toEqual([{ day: firstDay, load: done }])

    const sweptNow = { listedAt: now + 70_000, now: now + 75_000 }
    await markLoadsSwept(store, [silent], sweptNow)
    expect(await listUnsweptLoads(store, cube)).toEqual([])
    // It was only slow, and has stored more in the meantime.
    await failLoad(store, { id: silent, reason: 'given up', now: now + 80_000 })
    expect(await listUnsweptLoads(store, cube)).toEqual([silent])
    // A sweep was running that did not see it.
    await markLoadsSwept(store, [silent], sweptNow)
    expect(await listUnsweptLoads(store, cube)).toEqual([silent])
  })

  it('that are visible cannot fail: visible facts are never swept', async () => {
    const { cube, accounts, begin, publish, see } = await openCube('kept')
    const id = await begin()
    await publish(id, [{ account: accounts[0]!, day: firstDay }])
    // For example, if the answer to its publication was lost.
    await failLoad(store, { id, reason: 'lost', now: now + 1 })
    expect(await listUnsweptLoads(store, cube)).toEqual([])
    expect(await listLoads(store, { cube, limit: 9 })).toMatchObject([{ state: 'visible', failureReason: null }])
    expect(await see(accounts[0]!)).toEqual([{ day: firstDay, load: id }])
  })

  it('that append the same file again are skipped while the first is visible, and accepted after it is replaced', async () => {
    const { cube, accounts, begin, publish, see } = await openCube('appended')
    const account = accounts[0]!
    const days = [{ account, day: firstDay }]
    const append = async (checksums: readonly string[], mayRepeat = false) => {
      const id = await begin('append')
      const files = checksums.map((checksum, index) => ({ name: `${index}.csv`, bytes: 1, checksum }))
      return { id, ...(await publish(id, days, { mode: 'append', files, mayRepeat })) }
    }
    const first = await append(['same', 'too'])
    const again = await append(['too', 'same'])
    expect(again).toMatchObject({ refusal: 'repeated', load: first.id })
    const other = await append(['other'])
    const partly = await append(['new', 'too', 'other'])
    expect(partly).toMatchObject({
      refusal: 'partly_repeated',
      files: [
        { name: '1.csv', load: first.id },
        { name: '2.csv', load: other.id },
      ],
    })
    const meant = await append(['twice'], true)
    const meantAgain = await append(['twice'], true)
    // In both cases, they are known from now on.
    const notMeant = await append(['twice'])
    expect(notMeant).toMatchObject({ refusal: 'repeated' })
    const loads = [first.id, other.id, meant.id, meantAgain.id]
    expect(await see(account)).toEqual(loads.map((load) => ({ day: firstDay, load })))
    expect((await listUnsweptLoads(store, cube)).toSorted((a, b) => a - b)).toEqual([again.id, partly.id, notMeant.id])
    expect(await listLoads(store, { cube, before: other.id, limit: 1 })).toMatchObject([
      { id: again.id, state: 'skipped', rows: 1, firstDay, failureReason: null },
    ])

    const replacing = await begin()
    await publish(replacing, days)
    const back = await append(['same', 'too'])
    expect(back.refusal).toBeUndefined()
    expect(await see(account)).toEqual([replacing, back.id].map((load) => ({ day: firstDay, load })))
  })

  it('do not change other cubes, accounts and days', async () => {
    const here = await openCube('mine', 'theirs')
    const [mine, theirs] = here.accounts as [string, string]
    const first = await here.begin()
    const days = [mine, theirs].flatMap((account) => [0, 1].map((more) => ({ account, day: addDays(firstDay, more) })))
    await here.publish(first, days)
    const elsewhere = await openCube()
    const other = await elsewhere.begin()
    await elsewhere.publish(other, [{ account: mine, day: firstDay }])
    const second = await here.begin()
    await here.publish(second, [{ account: mine, day: firstDay }])

    expect(await here.see(mine)).toEqual([
      { day: firstDay, load: second },
      { day: addDays(firstDay, 1), load: first },
    ])
    expect((await here.see(theirs)).map(({ load }) => load)).toEqual([first, first])
    expect(await elsewhere.see(mine)).toEqual([{ day: firstDay, load: other }])
    expect(await here.takeRetired()).toEqual([{ account: mine, day: firstDay, load: first }])
    expect(await elsewhere.takeRetired()).toEqual([])
  })

  it('replace days with many appended loads', async () => {
    const { accounts, begin, publish, see, takeRetired } = await openCube('hourly')
    const account = accounts[0]!
    const days = Array.from({ length: 120 }, (_, more) => ({ account, day: addDays(firstDay, more) }))
    for (let hour = 0; hour < 60; hour++) await publish(await begin('append'), days, { mode: 'append' })
    const id = await begin()
    await publish(id, days)
    expect(new Set((await see(account)).map(({ load }) => load))).toEqual(new Set([id]))
    expect(await takeRetired()).toHaveLength(60 * 120)
  })

  it('that were replaced are swept after the waiting time, not before', async () => {
    const { accounts, begin, publish, takeRetired } = await openCube('grace')
    const days = [{ account: accounts[0]!, day: firstDay }]
    const id = await begin()
    await publish(id, days)
    await publish(await begin(), days, { now: now + 500 })
    expect(await takeRetired(now + 500)).toEqual([])
    expect(await takeRetired(now + 501)).toEqual([{ account: accounts[0], day: firstDay, load: id }])
  })

  it('lose days that are too old, and the loaded range never includes these', async () => {
    const { cube, accounts, begin, publish, see, takeRetired } = await openCube('old')
    const account = accounts[0]!
    // Older than any day of other tests in the shared store.
    const dayAt = (more: number) => addDays('2020-01-01', more)
    const range = (oldest: string) => findLoadedRange(store, { cube, account, oldest })
    expect(await range(dayAt(0))).toBeUndefined()
    const days = [0, 1, 2, 3].map((more) => ({ account, day: dayAt(more) }))
    await publish(await begin(), days)
    const id = await begin()
    await publish(id, days)
    expect(await range(dayAt(-9))).toEqual({ start: dayAt(0), end: dayAt(3) })
    expect(await range(dayAt(2))).toEqual({ start: dayAt(2), end: dayAt(3) })
    expect(await range(dayAt(4))).toBeUndefined()

    await retireDaysBefore(store, dayAt(2), now)
    expect((await see(account)).map(({ day }) => day)).toEqual([dayAt(2), dayAt(3)])
    // Facts that were retired by age stay a day longer.
    expect((await takeRetired()).map(({ day }) => day)).toEqual([0, 1, 2, 3].map(dayAt))
    expect(await takeRetired(now + dayMs)).toEqual([])
    expect((await takeRetired(now + dayMs + 1)).map(({ day }) => day)).toEqual([0, 1].map(dayAt))
    expect(await range(dayAt(-9))).toEqual({ start: dayAt(2), end: dayAt(3) })
  })

  it('that were retired by a clock that was ahead are visible again, unless they were replaced meanwhile', async () => {
    const { accounts, begin, publish, see, takeRetired } = await openCube('early', 'other')
    const [early, other] = accounts as [string, string]
    const dayAt = (more: number) => addDays('2020-01-01', more)
    const days = [0, 1, 2, 3].flatMap((more) => accounts.map((account) => ({ account, day: dayAt(more) })))
    const recorded = { bytes: 7, checksum: 'ab', rows: 3, rollup: { bytes: 1, checksum: 'cd', rows: 2, has: 'site' } }
    const first = await begin()
    await publish(
      first,
      days.map((day) => ({ ...day, ...recorded })),
    )
    const added = await begin('append')
    await publish(added, [{ account: early, day: dayAt(1) }], { mode: 'append' })
    const all = () => store.selectFrom('visibleLoads').selectAll().where('accountId', 'in', accounts).execute()
    const before = await all()

    while (await retireDaysBefore(store, dayAt(9), now)) continue
    expect(await all()).toEqual([])
    while (await restoreDays(store, dayAt(1))) continue
    expect(await see(early)).toEqual(
      [first, added, first, first].map((load, at) => ({ day: dayAt([1, 1, 2, 3][at]!), load })),
    )
    while (await restoreDays(store, dayAt(0))) continue
    const byKey = (rows: typeof before) => rows.map((row) => JSON.stringify(row)).toSorted()
    expect(byKey(await all())).toEqual(byKey(before))
    expect(await takeRetired(Number.MAX_SAFE_INTEGER)).toEqual([])

    while (await retireDaysBefore(store, dayAt(9), now)) continue
    const replacing = await begin()
    await publish(replacing, [{ account: early, day: dayAt(1) }])
    while (await restoreDays(store, dayAt(0))) continue
    expect(await see(early)).toEqual([first, replacing, first, first].map((load, at) => ({ day: dayAt(at), load })))
    expect(await see(other)).toHaveLength(4)
    expect((await takeRetired(now + dayMs + 1)).map(describeDay)).toEqual([
      `${early} ${dayAt(1)} ${first}`,
      `${early} ${dayAt(1)} ${added}`,
    ])
    while (await retireDaysBefore(store, dayAt(9), now)) continue
  })

  it('are all listed, newest first, and paginated', async () => {
    const { cube, accounts, begin, publish } = await openCube('left', 'right')
    const files = [{ name: 'facts.csv', bytes: 7, checksum: 'ab' }]
    const warnings = { count: 1, first: [{ file: 'facts.csv', row: 2, column: 'clicks', reason: 'strange' }] }
    const ids = []
    for (let at = 0; at < 5; at++) ids.push(await begin('append', now + at))
    const days = accounts.flatMap((account) => [3, 1, 2].map((more) => ({ account, day: addDays(firstDay, more) })))
    await publishLoad(store, { id: ids[1]!, cube, mode: 'append', days, rows: 12, files, warnings, now: now + 9 })
    await publish(await begin(), [{ account: accounts[0]!, day: addDays(firstDay, 3) }])

    const newest = await listLoads(store, { cube, limit: 4 })
    expect(newest.slice(1).map(({ id }) => id)).toEqual(ids.slice(2).toReversed())
    const rest = await listLoads(store, { cube, before: newest.at(-1)!.id, limit: 4 })
    expect(rest.map(({ id }) => id)).toEqual([ids[1], ids[0]])
    expect(rest[1]).toMatchObject({ warnings: null })
    expect(rest[0]).toEqual({
      id: ids[1],
      cube,
      state: 'visible',
      mode: 'append',
      loadedBy: 'test',
      columns: null,
      files,
      warnings,
      startedAt: now + 1,
      aliveAt: now + 1,
      finishedAt: now + 9,
      rows: 12,
      accounts: 2,
      firstDay: addDays(firstDay, 1),
      lastDay: addDays(firstDay, 3),
      failureReason: null,
      sweptAt: null,
      // The third day was replaced for one account, and is visible for the other.
      visibleDays: 3,
    })
    expect(await listLoads(store, { cube: 'none', limit: 4 })).toEqual([])
    expect(await listLoads(store, { limit: 1 })).toMatchObject([{ cube }])
  })
})

const describeDay = ({ account, day, load }: Portion): string => `${account} ${day} ${load}`
const has = (days: readonly AccountDay[], { account, day }: AccountDay): boolean =>
  days.some((each) => each.account === account && each.day === day)
