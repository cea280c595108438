import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { KyselyPlugin } from 'kysely'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { beginLoad } from '../../src/ingest/load-state.ts'
import { publishLoad } from '../../src/ingest/publish-load.ts'
import { retireDaysBefore } from '../../src/ingest/retire-old.ts'
import { findAccount, insertAccount } from '../../src/store/accounts.ts'
import { findVisibleLoads, type LoadMode } from '../../src/store/loads.ts'
import { storeFile, type Store, type StorePlace } from '../../src/store/open-store.ts'
import { rememberLoads, type FindLoadedDays } from '../../src/store/remember-loads.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const now = Date.UTC(2026, 10, 14)
const cube = 'auctions'
const range = { cube, start: '2026-11-01', end: '2026-11-10', today: '2026-11-14' }

async function publish(store: Store, accounts: readonly string[], days: readonly string[], mode: LoadMode = 'replace') {
  const id = await beginLoad(store, { cube, mode, now })
  const made = accounts.flatMap((account) => days.map((day) => ({ account, day })))
  const outcome = await publishLoad(store, { id, cube, mode, days: made, rows: 1, now })
  expect(outcome.refusal).toBeUndefined()
  return id
}

/** Finds loaded days as requests do: each reads its account first. */
function openFind(store: Store) {
  const find = rememberLoads(store)
  return async (asked: Omit<Parameters<FindLoadedDays>[0], 'revision'>) => {
    const { loadsRevision: revision } = (await findAccount(store, asked.account))!
    return find({ ...asked, revision })
  }
}

/** Runs SQL like another process that does not know about revisions. */
async function runElsewhere({ folder, databaseUrl }: StorePlace, sql: string): Promise<void> {
  if (databaseUrl === undefined) {
    const code = `new (require('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 10_000 }).exec(process.argv[2])`
    await promisify(execFile)(process.execPath, ['--eval', code, storeFile(folder), sql])
    return
  }
  const client = new Client(databaseUrl)
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** A store whose nth answer is held until it is released. */
function holdBack(store: Store, nth: number) {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let answers = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (++answers === nth) {
        held.resolve()
        await released.promise
      }
      return result
    },
  }
  return { store: store.withPlugin(plugin), isHeld: held.promise, release: released.resolve }
}

describe.each(databases)('cached loads, with the control data in %s,', async (database) => {
  const place = await makePlace(database)
  const server = await openStoreAt(place)
  const loader = await openStoreAt(place)
  const find = openFind(server)
  let made = 0
  const makeAccount = async (): Promise<string> => {
    const id = `account-${made++}`
    await insertAccount(server, { id, name: id, createdAt: now })
    return id
  }
  const see = async (account: string) => {
    const { visible, last } = await find({ ...range, account })
    return { loads: visible.map(({ day, load }) => `${day} ${load}`), last }
  }

  it('are not read again while the account does not change', async () => {
    const [account, other] = [await makeAccount(), await makeAccount()]
    const load = await publish(loader, [account], ['2026-11-09', '2026-11-12'])
    const first = await find({ ...range, account })
    expect(first).toMatchObject({ visible: [{ day: '2026-11-09', load }], last: '2026-11-12' })
    await publish(loader, [other], ['2026-11-09'])
    await runElsewhere(place, `UPDATE loads SET loaded_by = 'somebody' WHERE id = ${load}`)
    expect(await find({ ...range, account })).toBe(first)
    expect((await find({ ...range, account, end: '2026-11-12' })).visible).toHaveLength(2)
    expect((await find({ ...range, account, cube: 'platform-performance' })).visible).toEqual([])
    expect((await find({ ...range, account: other })).visible).toHaveLength(1)
  })

  it('are up to date in the next request after a load is published, appended, replaced or retired', async () => {
    for (const writer of [server, loader]) {
      const account = await makeAccount()
      expect(await see(account)).toEqual({ loads: [], last: undefined })
      const first = await publish(writer, [account], ['2026-10-01', '2026-11-02'])
      expect(await see(account)).toEqual({ loads: [`2026-11-02 ${first}`], last: '2026-11-02' })
      const added = await publish(writer, [account], ['2026-11-02'], 'append')
      expect((await see(account)).loads).toEqual([`2026-11-02 ${first}`, `2026-11-02 ${added}`])
      const second = await publish(writer, [account], ['2026-11-02'])
      expect((await see(account)).loads).toEqual([`2026-11-02 ${second}`])
      await retireDaysBefore(writer, '2026-11-03', now)
      expect(await see(account)).toEqual({ loads: [], last: undefined })
    }
  })

  it('are up to date in the next request whatever SQL another process runs', async () => {
    const [account, other] = [await makeAccount(), await makeAccount()]
    const load = await publish(loader, [account], ['2026-11-05'])
    const row = `cube = '${cube}' AND account_id = '${account}' AND load_id = ${load}`
    const insert = `INSERT INTO visible_loads (cube, account_id, day, load_id) VALUES
      ('${cube}', '${account}', '2026-11-05', ${load}), ('${cube}', '${account}', '2026-11-06', ${load})`
    const [fifth, sixth, seventh] = ['05', '06', '07'].map((day) => `2026-11-${day} ${load}`)
    expect((await see(account)).loads).toEqual([fifth])
    await runElsewhere(place, `DELETE FROM visible_loads WHERE ${row} RETURNING day`)
    expect(await see(account)).toEqual({ loads: [], last: undefined })
    await runElsewhere(place, insert)
    expect((await see(account)).loads).toEqual([fifth, sixth])
    await runElsewhere(place, `UPDATE visible_loads SET day = '2026-11-07' WHERE ${row} AND day = '2026-11-06'`)
    expect((await see(account)).loads).toEqual([fifth, seventh])
    expect((await see(other)).loads).toEqual([])
    await runElsewhere(place, `UPDATE visible_loads SET account_id = '${other}' WHERE ${row}`)
    expect([await see(account), await see(other)].map(({ loads }) => loads)).toEqual([[], [fifth, seventh]])
    await runElsewhere(place, `BEGIN; DELETE FROM visible_loads WHERE account_id = '${other}'; ROLLBACK`)
    expect((await see(other)).loads).toEqual([fifth, seventh])
  })

  it('are up to date even if the change comes during an earlier request', async () => {
    // Reads: account and loads of the first request, account of the second.
    for (const nth of [1, 2, 3]) {
      const account = await makeAccount()
      const days = [{ day: '2026-11-04', load: await publish(loader, [account], ['2026-11-04']) }]
      const { store, isHeld, release } = holdBack(server, nth)
      const find = openFind(store)
      if (nth === 3) expect((await find({ ...range, account })).visible).toMatchObject(days)
      const before = find({ ...range, account })
      await isHeld
      days.push({ day: '2026-11-05', load: await publish(loader, [account], ['2026-11-05']) })
      const after = find({ ...range, account })
      release()
      await before
      expect((await after).visible).toMatchObject(days)
      expect((await find({ ...range, account })).visible).toMatchObject(days)
    }
  })

  it('can be published and retired for many accounts at once', async () => {
    const accounts = await Promise.all(Array.from({ length: 8 }, makeAccount))
    const days = ['2026-09-01', '2026-09-02', '2026-11-03']
    await publish(loader, accounts, days)
    await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const [one, other] = index % 2 === 0 ? [loader, server] : [server, loader]
        await publish(one, index % 2 === 0 ? accounts : accounts.toReversed(), days, 'append')
        await retireDaysBefore(other, '2026-10-01', now)
      }),
    )
    for (const account of accounts) {
      const visible = await findVisibleLoads(server, { cube, account, start: '2026-01-01' })
      expect(await find({ ...range, account })).toMatchObject({ visible, last: '2026-11-03' })
    }
  })
})
