import { findAccount } from '../store/accounts.ts'
import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { findPasswordHash, updateLastSignedIn } from '../store/people.ts'
import { actorOf } from './actor.ts'
import { verifyPassword } from './password.ts'
import { openSession, type Session } from './session.ts'
import { originOf } from './origin.ts'
import { Throttle } from './throttle.ts'

type SignedIn = Session & { readonly token: string }
type Attempt = { readonly email: string; readonly password: string; readonly address: string }
export type SignInRefusal = { readonly refusal: 'wrong' } | { readonly refusal: 'slow_down'; readonly waitMs: number }

/**
 * Slows down guessing, whoever guesses: one address at a time, and many addresses at one person. The second is the
 * wider, because a stranger could otherwise keep a person out by guessing wrong on purpose.
 */
const perAddress = { burst: 10, refillMs: 30_000 }
const perPerson = { burst: 100, refillMs: 10_000 }

/** Checks passwords and signs people in. One for a service: it remembers who has failed. */
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
    const token = await this.#store.transaction().execute(async (transaction) => {
      if (!(await updateLastSignedIn(transaction, { id: person.id, passwordHash, now }))) return undefined
      await recordAudit(transaction, {
        accountId: account.id,
        at: now,
        actor: actorOf(person),
        action: 'person.signed_in',
        subject: person.email,
      })
      return openSession(transaction, person.id, now)
    })
    return token === undefined ? { refusal: 'wrong' } : { token, person, account }
  }

  async check(
    { email, password, address }: Attempt,
    now: number,
  ): Promise<(Session & { readonly passwordHash: string }) | SignInRefusal> {
    const origin = originOf(address)
    // Counted before the password is looked at: a thousand guesses at once are a thousand guesses.
    const addressWaitMs = this.#addresses.take(origin, now)
    if (addressWaitMs > 0) return { refusal: 'slow_down', waitMs: addressWaitMs }
    const personWaitMs = this.#people.take(email, now)
    if (personWaitMs > 0) {
      this.#addresses.giveBack(origin)
      return { refusal: 'slow_down', waitMs: personWaitMs }
    }
    const { person, passwordHash = null } = (await findPasswordHash(this.#store, email)) ?? {}
    const isRight = await verifyPassword(password, passwordHash).catch((error: unknown) => {
      // What could not be looked at was no guess.
      this.#addresses.giveBack(origin)
      this.#people.giveBack(email)
      throw error
    })
    // Only now: what is done for known people alone would tell them from unknown ones by the time it takes.
    const account = isRight && person ? await findAccount(this.#store, person.accountId) : undefined
    if (!person || passwordHash === null || account?.disabledAt !== null) return { refusal: 'wrong' }
    // For the person it still counts: a script that signs in all day would fill the audit trail.
    this.#addresses.giveBack(origin)
    return { person, account, passwordHash }
  }
}
