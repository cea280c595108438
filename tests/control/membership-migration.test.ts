import { sql, type Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { describe, expect, it } from 'vitest'
import { acceptInvitation } from '../../src/access/accept-invitation.ts'
import { findMembership, listPeople } from '../../src/access/memberships.ts'
import { changeRole, removePerson } from '../../src/access/people.ts'
import { digestOf, generateToken } from '../../src/access/secret-digest.ts'
import { openSession, resumeSession } from '../../src/access/sessions.ts'
import { SignIn } from '../../src/access/sign-in.ts'
import { listViews } from '../../src/access/views.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { operator } from '../../src/store/audit.ts'
import { migrations } from '../../src/store/migrations.ts'
import { createStore, type StorePlace } from '../../src/store/open-store.ts'
import { createPostgresDialect } from '../../src/store/postgres.ts'
import { createSqliteDialect } from '../../src/store/sqlite.ts'
import { atEnd } from '../setup/at-end.ts'
import { addMembership, makePerson, password } from '../setup/make-person.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const now = Date.UTC(2026, 10, 14)
const token = generateToken()
const account = 'home'

/** The columns of `people` that the version before reads and writes. */
type Earlier = {
  readonly people: {
    readonly id: string
    readonly accountId: string
    readonly email: string
    readonly role: string
    readonly passwordHash: string | null
    readonly invitationSelector: string | null
    readonly invitationVerifier: string | null
    readonly invitationExpiresAt: number | null
    readonly createdAt: number
    readonly lastSignedInAt: number | null
  }
  readonly views: {
    readonly id: string
    readonly personId: string
    readonly name: string
    readonly search: string
    readonly createdAt: number
  }
}

/** Creates control data as the version before left it. */
async function openEarlier({ folder, databaseUrl }: StorePlace): Promise<Kysely<Earlier>> {
  const dialect = databaseUrl ? createPostgresDialect(databaseUrl) : createSqliteDialect(`${folder}/adcube.db`)
  const store = createStore(dialect)
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '021'))
  const { error } = await new Migrator({
    db: store,
    provider: { getMigrations: async () => earlier },
  }).migrateToLatest()
  if (error !== undefined) throw error
  atEnd(() => store.destroy())
  await insertAccount(store, { id: account, name: 'Home', createdAt: now })
  await insertAccount(store, { id: 'second', name: 'Second', createdAt: now })
  return store as unknown as Kysely<Earlier>
}

const personOf = (id: string) => ({ id, accountId: account, email: `${id}@home.example`, createdAt: now })

describe.each(databases)('the migration to memberships in %s', async (database) => {
  const place = await makePlace(database)
  const earlier = await openEarlier(place)
  const { selector, verifier } = digestOf(token)
  const invitation = { invitationSelector: selector, invitationVerifier: verifier, invitationExpiresAt: now + 1 }
  for (const [id, role] of [
    ['boss', 'administrator'],
    ['member', 'member'],
  ] as const) {
    await earlier
      .insertInto('people')
      .values({ ...personOf(id), role, passwordHash: 'hash', lastSignedInAt: now })
      .execute()
  }
  await earlier
    .insertInto('people')
    .values({ ...personOf('invited'), role: 'member', ...invitation })
    .execute()
  const session = await openSession(earlier as never, 'boss', now)
  const view = { name: 'Mine', search: '?x', createdAt: now }
  await earlier
    .insertInto('views')
    .values({ ...view, id: 'kept', personId: 'member' })
    .execute()
  const store = await openStoreAt(place)
  const by = { actor: operator, now }

  it('moves people, sessions, views and open invitations', async () => {
    const person = (id: string) => ({ ...personOf(id), personId: id, role: 'member', invitationExpiresAt: null })
    const boss = { ...person('boss'), role: 'administrator', lastSignedInAt: now }
    expect(await listPeople(store, {})).toEqual([
      boss,
      { ...person('invited'), invitationExpiresAt: now + 1, lastSignedInAt: null },
      { ...person('member'), lastSignedInAt: now },
    ])
    expect(await resumeSession(store, session, now)).toMatchObject({ email: boss.email, memberships: [boss] })
    expect(await listViews(store, 'member')).toMatchObject([{ id: 'kept', ...view }])
    const acceptance = { token, password, address: '192.0.2.1', now }
    expect(await acceptInvitation(store, new SignIn(store), acceptance)).toMatchObject({
      id: 'invited',
      invitationExpiresAt: null,
    })
    // The version before could use the token again.
    const usable = earlier.selectFrom('people').select('id').where('invitationSelector', '=', selector)
    expect(await usable.execute()).toEqual([])
  })

  describe('lets a process of the version before', () => {
    it('read people, with the role that this version changed', async () => {
      const read = earlier.selectFrom('people').selectAll().where('email', '=', 'member@home.example')
      expect(await read.execute()).toMatchObject([{ accountId: account, role: 'member', passwordHash: 'hash' }])
      await changeRole(store, { ...by, id: 'member', accountId: account, role: 'administrator' })
      expect(await read.execute()).toMatchObject([{ role: 'administrator' }])
    })

    it('add, change and remove people, and save views', async () => {
      const expiry = { invitationSelector: 'x', invitationVerifier: 'x', invitationExpiresAt: now + 1 }
      await earlier
        .insertInto('people')
        .values({ ...personOf('new'), role: 'member', ...expiry })
        .execute()
      expect(await findMembership(store, 'new')).toMatchObject({ role: 'member', invitationExpiresAt: now + 1 })
      await earlier.updateTable('people').set({ role: 'administrator' }).where('id', '=', 'new').execute()
      expect(await findMembership(store, 'new')).toMatchObject({ role: 'administrator', invitationExpiresAt: now + 1 })
      await earlier
        .insertInto('views')
        .values({ ...view, id: 'late', personId: 'new' })
        .execute()
      expect(await listViews(store, 'new')).toMatchObject([{ id: 'late' }])
      await earlier.deleteFrom('people').where('id', '=', 'new').execute()
      expect([await findMembership(store, 'new'), await listViews(store, 'new')]).toEqual([undefined, []])
      // Its sweep of invitations.
      const old = sql`DELETE FROM people WHERE invitation_expires_at < ${now} AND password_hash IS NULL`
      expect((await old.execute(earlier)).numAffectedRows).toBe(0n)
    })

    it('see a person in an account only as long as they belong to it', async () => {
      const { id, email } = await makePerson(store, { accountId: account, role: 'administrator', now })
      const read = earlier.selectFrom('people').select(['accountId', 'role', 'passwordHash']).where('email', '=', email)
      // Without rights, because its columns have room for one account.
      expect(await read.execute()).toMatchObject([{ accountId: account, role: '' }])
      await addMembership(store, { personId: id, accountId: 'second', role: 'member', now })
      await removePerson(store, { ...by, id, accountId: account })
      expect(await read.execute()).toMatchObject([{ accountId: 'second', role: '' }])
    })
  })
})
