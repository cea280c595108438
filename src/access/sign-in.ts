import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { KnownAddresses } from './known-addresses.ts'
import { findJoined } from './memberships.ts'
import { verifyPassword } from './password.ts'
import { openSession, type Session } from './sessions.ts'
import { originOf, Throttle } from './throttle.ts'

type SignedIn = Session & { readonly token: string }
type Attempt = { readonly email: string; readonly password: string; readonly address: string }
type Checked = { readonly personId: string; readonly passwordHash: string }
export type SignInRefusal = { readonly refusal: 'wrong' } | { readonly refusal: 'slow_down'; readonly waitMs: number }

/**
 * Guesses are limited by IP address and by person. The limit by person is higher: otherwise anybody could lock a person
 * out by guessing wrong on purpose. Somebody with many addresses still can, so an address from which the person has
 * signed in before counts by itself when the limit by person is used up.
 */
const perAddress = { burst: 10, refillMs: 30_000 }
const perPerson = { burst: 100, refillMs: 10_000 }

/** Checks passwords and signs people in. A service has one, which counts the attempts. */
export class SignIn {
  readonly #store: Store
  readonly #knownAddresses: KnownAddresses
  readonly #addresses = new Throttle(perAddress)
  readonly #people = new Throttle(perPerson)
  readonly #peopleAtKnownAddresses = new Throttle(perPerson)

  constructor(store: Store) {
    this.#store = store
    this.#knownAddresses = new KnownAddresses(store)
  }

  async signIn(attempt: Attempt, now: number): Promise<SignedIn | SignInRefusal> {
    const checked = await this.check(attempt, now)
    if ('refusal' in checked) return checked
    const { personId, passwordHash } = checked
    const { email, address } = attempt
    const digest = await this.#knownAddresses.digestOf(email, originOf(address))
    const signedIn = await this.#store.transaction().execute(async (transaction) => {
      // Locks the person. The password may have been changed since it was checked.
      const { numUpdatedRows } = await transaction
        .updateTable('people')
        .set({ passwordHash })
        .where('id', '=', personId)
        .where('passwordHash', '=', passwordHash)
        .executeTakeFirst()
      const memberships = numUpdatedRows === 0n ? [] : await findJoined(transaction, personId)
      if (memberships.length === 0) return undefined
      for (const { id, accountId } of memberships) {
        await transaction.updateTable('memberships').set({ lastSignedInAt: now }).where('id', '=', id).execute()
        const entry = { accountId, at: now, actor: email, subject: email }
        await recordAudit(transaction, { ...entry, action: 'person.signed_in' })
      }
      await this.#knownAddresses.note(transaction, { digest, personId, signedInAt: now })
      const joined = memberships.map((membership) => ({ ...membership, lastSignedInAt: now }))
      return { personId, email, memberships: joined, token: await openSession(transaction, personId, now) }
    })
    return signedIn ?? { refusal: 'wrong' }
  }

  /** Checks a password, whether or not the person has an account that is enabled. */
  async check({ email, password, address }: Attempt, now: number): Promise<Checked | SignInRefusal> {
    const origin = originOf(address)
    // Counted before the password is verified, so that a thousand guesses at once are a thousand guesses.
    const addressWaitMs = this.#addresses.take(origin, now)
    if (addressWaitMs > 0) return { refusal: 'slow_down', waitMs: addressWaitMs }
    const { waitMs, undo } = await this.#takeOfPerson(email, origin, now)
    if (waitMs > 0) {
      this.#addresses.undo(origin)
      return { refusal: 'slow_down', waitMs }
    }
    const found = await this.#store
      .selectFrom('people')
      .select(['id as personId', 'passwordHash'])
      .where('email', '=', email)
      .executeTakeFirst()
    const passwordHash = found?.passwordHash ?? null
    const isRight = await verifyPassword(password, passwordHash).catch((error: unknown) => {
      // A password that could not be verified is not a guess.
      this.#addresses.undo(origin)
      undo()
      throw error
    })
    if (!isRight || !found || passwordHash === null) return { refusal: 'wrong' }
    // The person's count stays: a script that signs in all day would fill the audit trail.
    this.#addresses.undo(origin)
    return { personId: found.personId, passwordHash }
  }

  async #takeOfPerson(email: string, origin: string, now: number) {
    const waitMs = this.#people.take(email, now)
    if (waitMs === 0) return { waitMs, undo: () => this.#people.undo(email) }
    const digest = await this.#knownAddresses.digestOf(email, origin)
    if (!(await this.#knownAddresses.has(digest, now))) return { waitMs, undo: () => {} }
    return {
      waitMs: this.#peopleAtKnownAddresses.take(digest, now),
      undo: () => this.#peopleAtKnownAddresses.undo(digest),
    }
  }
}
