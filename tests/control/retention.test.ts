import type { Insertable } from 'kysely'
import { describe, expect, it } from 'vitest'
import { forgetOld } from '../../src/chores/forget-old.ts'
import { beginLoad, failLoad } from '../../src/ingest/load-state.ts'
import { publishLoad } from '../../src/ingest/publish-load.ts'
import { retireDaysBefore } from '../../src/ingest/retire-old.ts'
import { findRetiredDay, forgetRetired, markLoadsSwept } from '../../src/ingest/sweep-facts.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { operator, recordAudit } from '../../src/store/audit.ts'
import { noInvitation } from '../../src/access/people.ts'
import { takeLease } from '../../src/store/hold-lease.ts'
import { type LoadMode } from '../../src/store/loads.ts'
import type { Tables } from '../../src/store/tables.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const begun = Date.parse('2025-01-31T12:00:00Z')
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const account = 'kept'
const cube = 'some_cube'

describe.each(databases)('records in %s', async (database) => {
  const store = await openStoreAt(await makePlace(database))
  await insertAccount(store, { id: account, name: 'Kept', createdAt: begun })
  const addKey = (key: Insertable<Tables['apiKeys']>) => store.insertInto('apiKeys').values(key).execute()
  /** Deletes old records as of a given time. */
  const forgetAt = async (time: number | string) =>
    forgetOld({ store, now: () => (typeof time === 'string' ? Date.parse(time) : time) })
  const countOf = async (table: 'loads' | 'audit' | 'apiKeys' | 'sessions' | 'people' | 'leases' | 'appendedFiles') =>
    (await store.selectFrom(table).selectAll().execute()).length

  it('of the audit trail are kept for 25 months, however many they are', async () => {
    const entry = { accountId: account, actor: operator, action: 'key.created', subject: 'x' } as const
    await store.transaction().execute(async (transaction) => {
      for (let count = 0; count < 1_201; count++) await recordAudit(transaction, { ...entry, at: begun + count })
    })
    await recordAudit(store, { ...entry, at: begun + 30 * dayMs })
    // February is shorter than January, so entries of the end of January stay until March.
    await forgetAt('2027-02-28T00:00:00Z')
    expect(await countOf('audit')).toBe(1_202)
    await forgetAt('2027-03-01T00:00:00Z')
    expect(await countOf('audit')).toBe(1)
    await store.deleteFrom('audit').execute()
  })

  it('of keys are kept for 13 months after their expiry, also if they were deleted', async () => {
    const insert = (id: string, expiresAt: number) =>
      addKey({
        id,
        accountId: account,
        name: id,
        selector: id,
        verifier: 'x',
        lastFour: 'abcd',
        createdAt: begun,
        expiresAt,
        lastUsedAt: null,
      })
    for (const id of ['expired', 'deleted']) await insert(id, begun)
    await store
      .updateTable('apiKeys')
      .set({ deletedAt: begun - dayMs })
      .where('id', '=', 'deleted')
      .execute()
    await insert('later', begun + 30 * dayMs)
    await forgetAt('2026-02-28T23:59:59Z')
    expect(await countOf('apiKeys')).toBe(3)
    await forgetAt('2026-03-01T00:00:00Z')
    expect(await store.selectFrom('apiKeys').select('id').execute()).toEqual([{ id: 'later' }])
  })

  it('of sessions and of open invitations are deleted when they expire', async () => {
    const invite = async (id: string) => {
      const person = { id, accountId: account, email: `${id}@kept.example`, createdAt: begun }
      await store
        .insertInto('people')
        .values({ ...person, role: '' })
        .execute()
      const invitation = { invitationSelector: id, invitationVerifier: 'x', invitationExpiresAt: begun }
      const membership = { id, personId: id, accountId: account, role: 'member', createdAt: begun } as const
      await store
        .insertInto('memberships')
        .values({ ...membership, ...invitation })
        .execute()
    }
    for (const id of ['absent', 'joined']) await invite(id)
    await store.updateTable('memberships').set(noInvitation).where('id', '=', 'joined').execute()
    for (const selector of ['idle', 'used']) {
      const session = { selector, verifier: 'x', personId: 'joined', createdAt: begun, lastSeenAt: begun }
      await store.insertInto('sessions').values(session).execute()
    }
    const used = store.updateTable('sessions').where('selector', '=', 'used')
    await used.set({ lastSeenAt: begun + hourMs }).execute()
    await forgetAt(begun + 12 * hourMs)
    expect(await countOf('sessions')).toBe(2)
    await forgetAt(begun + 12 * hourMs + 1)
    expect(await store.selectFrom('sessions').select('selector').execute()).toEqual([{ selector: 'used' }])

    await forgetAt(begun + 30 * dayMs)
    expect(await countOf('people')).toBe(2)
    await forgetAt(begun + 30 * dayMs + 1)
    expect(await store.selectFrom('memberships').select('id').execute()).toEqual([{ id: 'joined' }])
    expect(await store.selectFrom('people').select('id').execute()).toEqual([{ id: 'joined' }])
  })

  it('of the IP addresses of a person are deleted 90 days after the last sign-in from there', async () => {
    const addresses = [
      { digest: 'old', personId: 'joined', signedInAt: begun },
      { digest: 'new', personId: 'joined', signedInAt: begun + 1 },
    ]
    await store.insertInto('signInAddresses').values(addresses).execute()
    await forgetAt(begun + 90 * dayMs)
    expect(await store.selectFrom('signInAddresses').select('digest').execute()).toHaveLength(2)
    await forgetAt(begun + 90 * dayMs + 1)
    expect(await store.selectFrom('signInAddresses').select('digest').execute()).toEqual([{ digest: 'new' }])
  })

  it('of leases are deleted a day after their last renewal', async () => {
    await takeLease(store, { name: 'dead', holder: 'x', now: begun, ms: 0 })
    await takeLease(store, { name: 'alive', holder: 'x', now: begun + dayMs, ms: 1 })
    await forgetAt(begun + dayMs)
    expect(await countOf('leases')).toBe(2)
    await forgetAt(begun + dayMs + 1)
    expect(await store.selectFrom('leases').select('name').execute()).toEqual([{ name: 'alive' }])
  })

  describe('of loads', () => {
    const day = '2025-01-31'
    const load = async (mode: LoadMode, checksum = '', at = begun) => {
      const id = await beginLoad(store, { cube, mode, now: at })
      const files = [{ name: 'x', bytes: 1, checksum }]
      const published = await publishLoad(store, { id, cube, mode, days: [{ account, day }], rows: 1, now: at, files })
      expect(published.refusal).toBeUndefined()
      return id
    }
    const appended = async () =>
      (await store.selectFrom('appendedFiles').select('checksum').orderBy('checksum').execute()).map(
        ({ checksum }) => checksum,
      )
    const sweepRetired = async () => {
      const stale = await findRetiredDay(store, { cube, before: Number.MAX_SAFE_INTEGER })
      await forgetRetired(store, cube, stale)
    }

    it('include appended files for as long as these are visible', async () => {
      await load('append', 'a')
      await load('append', 'b')
      expect(await appended()).toEqual(['a', 'b'])
      await load('replace')
      await load('append', 'c')
      // Loads that are not visible stay on record until their facts are removed.
      expect(await appended()).toEqual(['a', 'b', 'c'])
      await sweepRetired()
      expect(await appended()).toEqual(['c'])
      await load('replace')
      await sweepRetired()
      expect(await appended()).toEqual([])
    })

    it('are kept for 13 months after the load has ended, and while it is visible or has to be swept', async () => {
      await store.deleteFrom('visibleLoads').execute()
      await store.deleteFrom('loads').execute()
      const replaced = await load('append', 'd')
      const visible = await load('replace')
      const swept = await beginLoad(store, { cube, now: begun })
      const unswept = await beginLoad(store, { cube, now: begun })
      for (const id of [swept, unswept]) await failLoad(store, { id, now: begun })
      await markLoadsSwept(store, [swept], { listedAt: begun, now: begun })
      const underWay = await beginLoad(store, { cube, now: begun })
      const recent = await beginLoad(store, { cube, now: begun + 30 * dayMs })
      await failLoad(store, { id: recent, now: begun + 30 * dayMs })
      await markLoadsSwept(store, [recent], { listedAt: begun + 30 * dayMs, now: begun + 30 * dayMs })
      const left = async () =>
        (await store.selectFrom('loads').select('id').orderBy('id').execute()).map(({ id }) => id)

      const all = [replaced, visible, swept, unswept, underWay, recent]
      await forgetAt('2026-02-28T00:00:00Z')
      expect(await left()).toEqual(all)
      await forgetAt('2026-03-01T00:00:00Z')
      // The facts of the replaced load have not been removed yet.
      expect(await left()).toEqual([replaced, visible, unswept, underWay, recent])
      await sweepRetired()
      await forgetAt('2026-03-01T00:00:00Z')
      expect(await left()).toEqual([visible, unswept, underWay, recent])
      expect(await retireDaysBefore(store, '2025-02-01', begun)).toBe(true)
      expect(await retireDaysBefore(store, '2025-02-01', begun)).toBe(false)
      await sweepRetired()
      await forgetAt('2026-03-01T00:00:00Z')
      expect(await left()).toEqual([unswept, underWay, recent])
      // A number is never used again, even after its record is removed.
      expect(await beginLoad(store, { cube, now: begun })).toBe(recent + 1)
    })
  })
})
