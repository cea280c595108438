import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { beginLoad } from '../../src/ingest/load-state.ts'
import { publishLoad } from '../../src/ingest/publish-load.ts'
import { findAccount, insertAccount, listAccounts, lockAccounts, updateAccount } from '../../src/store/accounts.ts'
import { createAccount } from '../../src/access/accounts.ts'
import { auctions } from '../../src/catalog/auctions.ts'
import { listAudit } from '../../src/access/list-audit.ts'
import { recordAudit } from '../../src/store/audit.ts'
import { dropImpossibleLeases, endLease, takeLease } from '../../src/store/hold-lease.ts'
import { findLoadedRange, findVisibleLoads } from '../../src/store/loads.ts'
import type { Store } from '../../src/store/open-store.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const now = Date.UTC(2026, 10, 14)

describe.each(databases)('the store in %s', async (database) => {
  const place = await makePlace(database)

  it('can be created by several processes at once', async () => {
    const module = join(import.meta.dirname, '../../src/store/open-store.ts')
    // The URL of the database is in the environment, because others can read arguments.
    const code = `const { openStore } = await import(${JSON.stringify(module)})
      const store = await openStore(JSON.parse(process.env.PLACE))
      await store.selectFrom('accounts').selectAll().execute()
      await store.destroy()`
    const env = { ...process.env, PLACE: JSON.stringify(place) }
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env })
    await Promise.all(Array.from({ length: 6 }, run))
    if (database === 'SQLite') expect((await stat(join(place.folder, 'adcube.db'))).mode & 0o077).toBe(0)
  })

  it('stores accounts with their cubes and limits', async () => {
    const store = await openStoreAt(place)
    expect(await createAccount(store, { name: 'Señor Ñandú & Co', now })).toMatchObject({ id: 'senor-nandu-co' })
    expect(await createAccount(store, { name: 'Señor Ñandú & Co', now })).toMatchObject({ id: 'senor-nandu-co-2' })
    expect(await createAccount(store, { name: '東京', now })).toMatchObject({ id: 'account', name: '東京' })
    expect(await createAccount(store, { name: 'x', id: 'account', now })).toBeUndefined()
    await updateAccount(store, 'account', { cubes: [auctions], rateFactor: 10 })
    expect(await findAccount(store, 'account')).toEqual({
      id: 'account',
      name: '東京',
      cubes: 'publisher_auctions_cube',
      rateFactor: 10,
      createdAt: now,
      disabledAt: null,
      loadsRevision: '',
    })
    expect(await findAccount(store, "account' OR '1'='1")).toBeUndefined()
    expect((await listAccounts(store)).map(({ id }) => id)).toEqual(['account', 'senor-nandu-co', 'senor-nandu-co-2'])
  })

  it('gives a lease to one holder at a time, until it expires or is released', async () => {
    const [one, other] = [await openStoreAt(place), await openStoreAt(place)]
    const take = (store: Store, holder: string, at: number) =>
      takeLease(store, { name: 'sweep', holder, now: now + at, ms: 1_000 })
    const takers = ['a', 'b', 'c', 'd'].map((holder, index) => take(index % 2 === 0 ? one : other, holder, 0))
    expect((await Promise.all(takers)).filter(Boolean)).toHaveLength(1)
    await one.deleteFrom('leases').execute()

    expect(await take(one, 'a', 0)).toBe(true)
    expect(await take(other, 'b', 999)).toBe(false)
    expect(await take(one, 'a', 999)).toBe(true)
    expect(await take(other, 'b', 1_998)).toBe(false)
    expect(await take(other, 'b', 1_999)).toBe(true)
    await endLease(one, { name: 'sweep', holder: 'a' })
    expect(await take(one, 'a', 1_999)).toBe(false)
    await endLease(other, { name: 'sweep', holder: 'b' })
    expect(await take(one, 'a', 1_999)).toBe(true)
  })

  it('drops a lease that was taken while the clock was ahead', async () => {
    const store = await openStoreAt(place)
    const take = (name: string, at: number) => takeLease(store, { name, holder: 'ended', now: now + at, ms: 30_000 })
    await take('ahead', 86_400_000)
    await take('now', 0)
    await dropImpossibleLeases(store, now)
    expect(await store.selectFrom('leases').select('name').where('holder', '=', 'ended').execute()).toEqual([
      { name: 'now' },
    ])
  })

  it('rolls back a transaction that fails', async () => {
    const store = await openStoreAt(place)
    await insertAccount(store, { id: 'whole', name: 'Whole', createdAt: now })
    const entry = { accountId: 'whole', at: now, actor: 'operator', action: 'account.changed', subject: 'x' } as const
    const failing = store.transaction().execute(async (transaction) => {
      await updateAccount(transaction, 'whole', { name: 'Half' })
      await recordAudit(transaction, entry)
      throw new Error('half-way')
    })
    await expect(failing).rejects.toThrow('half-way')
    expect(await findAccount(store, 'whole')).toMatchObject({ name: 'Whole' })
    expect(await listAudit(store, { accountId: 'whole', limit: 10 })).toEqual([])
  })

  it('serializes changes of the same account', async () => {
    const store = await openStoreAt(place)
    await insertAccount(store, { id: 'busy', name: '0', createdAt: now })
    const increment = () =>
      store.transaction().execute(async (transaction) => {
        await lockAccounts(transaction, ['busy'])
        const { name } = (await findAccount(transaction, 'busy'))!
        await updateAccount(transaction, 'busy', { name: String(Number(name) + 1) })
      })
    await Promise.all(Array.from({ length: 20 }, increment))
    expect(await findAccount(store, 'busy')).toMatchObject({ name: '20' })
  })

  it('shows only one load for a day, also when several are published at once', async () => {
    const store = await openStoreAt(place)
    for (const id of ['left', 'right']) await insertAccount(store, { id, name: id, createdAt: now })
    const cube = auctions.name
    const days = ['left', 'right'].map((account) => ({ account, day: '2026-11-14' }))
    const loads = await Promise.all(Array.from({ length: 8 }, () => beginLoad(store, { cube, now })))
    expect(new Set(loads).size).toBe(8)
    await Promise.all(
      loads.map((id, index) =>
        publishLoad(store, { id, cube, days: index % 2 === 0 ? days : days.toReversed(), rows: 1, now }),
      ),
    )
    for (const account of ['left', 'right']) {
      const range = { cube, account, start: '2026-11-01', end: '2026-11-30' }
      expect(await findVisibleLoads(store, range)).toHaveLength(1)
      expect(await findLoadedRange(store, { ...range, oldest: range.start })).toEqual({
        start: '2026-11-14',
        end: '2026-11-14',
      })
    }
  })
})
