import { findAccount } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { originOf, Throttle } from './throttle.ts'
import { verifyPassword } from './password.ts'
import { personColumns } from './people.ts'
import { openSession, type Session } from './sessions.ts'

type SignedIn = Session & { readonly token: string }
type Attempt = { readonly email: string; readonly password: string; readonly address: string }
export type SignInRefusal = { readonly refusal: 'wrong' } | { readonly refusal: 'slow_down'; readonly waitMs: number }

/**
 * Guesses are limited by IP address and by person. The limit by person is higher: otherwise anybody could lock a person
 * out by guessing wrong on purpose.
 */
const perAddress = { burst: 10, refillMs: 30_000 }
const perPerson = { burst: 100, refillMs: 10_000 }

/** Checks passwords and signs people in. A service has one, which counts the attempts. */
export class SignIn {
  readonly #store: Store
  readonly #addresses = new Throttle(perAddress)
  readonly #people = new Throttle(perPerson)

  constructor(store: Store) {
    this.#store = store
  }

  async signIn(attempt: Attempt, now: number): Promise<SignedIn | SignInRefusal> {
    const checked = await this.check(attempt, now)
    if ('refusal' in checked) return checked
    const { person, account, passwordHash } = checked
    const { id, email } = person
    const token = await this.#store.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('people')
        .set({ lastSignedInAt: now })
        .where('id', '=', id)
        // It may have been changed since it was checked.
        .where('passwordHash', '=', passwordHash)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return undefined
      const entry = { accountId: account.id, at: now, actor: email, subject: email }
      await recordAudit(transaction, { ...entry, action: 'person.signed_in' })
      return openSession(transaction, id, now)
    })
    return token === undefined ? { refusal: 'wrong' } : { token, person, account }
  }

  async check(
    { email, password, address }: Attempt,
    now: number,
  ): Promise<(Session & { readonly passwordHash: string }) | SignInRefusal> {
    const origin = originOf(address)
    // Counted before the password is verified, so that a thousand guesses at once are a thousand guesses.
    const addressWaitMs = this.#addresses.take(origin, now)
    if (addressWaitMs > 0) return { refusal: 'slow_down', waitMs: addressWaitMs }
    const personWaitMs = this.#people.take(email, now)
    if (personWaitMs > 0) {
      this.#addresses.undo(origin)
      return { refusal: 'slow_down', waitMs: personWaitMs }
    }
    const found = await this.#store
      .selectFrom('people')
      .select([...personColumns, 'passwordHash'])
      .where('email', '=', email)
      .executeTakeFirst()
    const passwordHash = found?.passwordHash ?? null
    const isRight = await verifyPassword(password, passwordHash).catch((error: unknown) => {
      // A password that could not be verified is not a guess.
      this.#addresses.undo(origin)
      this.#people.undo(email)
      throw error
    })
    // After the hashing: a read for known people alone would reveal them by its time.
    const account = isRight && found ? await findAccount(this.#store, found.accountId) : undefined
    if (!found || passwordHash === null || account?.disabledAt !== null) return { refusal: 'wrong' }
    // The person's count stays: a script that signs in all day would fill the audit trail.
    this.#addresses.undo(origin)
    const { passwordHash: _, ...person } = found
    return { person, account, passwordHash }
  }
}
