import type { Logger } from 'pino'
import { readRevision } from '../store/access-revision.ts'
import type { Account } from '../store/accounts.ts'
import { findKey, markKeysUsed, type KnownKey } from '../store/keys.ts'
import type { Store } from '../store/open-store.ts'
import { isKeyWellFormed } from './key-form.ts'
import { digestOf, isSameVerifier } from './secret-digest.ts'

export type Refusal = 'missing' | 'invalid' | 'expired' | 'disabled'
/** The id is of a key that is right, whether it may be used or not. */
export type Verdict = { readonly keyId?: string } & ({ readonly account: Account } | { readonly refusal: Refusal })

/** A key that has been deleted anywhere is refused by every node after at most this long. */
const trustMsMax = 900
/** Often enough that what is remembered is nearly always trusted. */
const pollMs = 300
/** When a key was last used is for people to look at: minutes would do. */
const usageMs = 15_000
/** An entry takes some hundred bytes; whoever has more keys in use at once pays a look-up for some. */
const keysMax = 20_000

/**
 * Verifies API keys, from memory in the common case. Every change that takes a right away raises a number in the store
 * (store/access-revision); the ring reads that number a few times a second and forgets all it knows when it has grown.
 * Memory is trusted only while the number was read less than a second ago: a node that cannot read it, or is too busy
 * to, asks the store about each key instead.
 */
export class KeyRing {
  readonly #store: Store
  readonly #log: Logger
  readonly #known = new Map<string, KnownKey>()
  readonly #used = new Map<string, number>()
  readonly #timers: readonly NodeJS.Timeout[]
  #revision = -1
  /** When the reading of the revision began, on a clock that no one sets. */
  #readAt = -Infinity
  /** Grows when everything is forgotten, so that an answer asked for before does not come in after. */
  #generation = 0
  #polling: Promise<void> | undefined
  #isStoreAway = false

  constructor(store: Store, log: Logger) {
    this.#store = store
    this.#log = log
    this.#timers = [
      setInterval(() => void this.#poll(), pollMs).unref(),
      setInterval(() => void this.saveUsage(), usageMs).unref(),
    ]
    void this.#poll()
  }

  /** Decides whose key this is. Unknown, deleted and misspelt keys look alike: strangers learn nothing of what existed. */
  async verify(text: string | undefined, now: number): Promise<Verdict> {
    if (text === undefined || text === '') return { refusal: 'missing' }
    if (!isKeyWellFormed(text)) return { refusal: 'invalid' }
    const { selector, verifier } = digestOf(text)
    const key = this.#recall(selector) ?? (await this.#lookUp(selector))
    if (!key || !isSameVerifier(key.verifier, verifier)) return { refusal: 'invalid' }
    if (now >= key.expiresAt) return { refusal: 'expired', keyId: key.keyId }
    if (key.account.disabledAt !== null) return { refusal: 'disabled', keyId: key.keyId }
    this.#used.set(key.keyId, now)
    return { account: key.account, keyId: key.keyId }
  }

  /** For a change that this node has made itself: it holds from the next request on. */
  forget(): void {
    this.#generation++
    this.#known.clear()
  }

  async saveUsage(): Promise<void> {
    if (this.#used.size === 0) return
    const times = new Map(this.#used)
    this.#used.clear()
    try {
      await markKeysUsed(this.#store, times)
    } catch (error) {
      // Kept for the next time, unless there is something newer by now.
      for (const [id, usedAt] of times) if (!this.#used.has(id)) this.#used.set(id, usedAt)
      this.#log.warn({ err: error }, 'last use of keys could not be stored; retrying')
    }
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#polling
    await this.saveUsage()
  }

  #recall(selector: string): KnownKey | undefined {
    return performance.now() - this.#readAt < trustMsMax ? this.#known.get(selector) : undefined
  }

  async #lookUp(selector: string): Promise<KnownKey | undefined> {
    const generation = this.#generation
    const key = await findKey(this.#store, selector)
    if (key && generation === this.#generation) {
      // The oldest goes first; it is looked up again if it is still in use.
      if (this.#known.size >= keysMax) this.#known.delete(this.#known.keys().next().value ?? '')
      this.#known.set(selector, key)
    }
    return key
  }

  /** One at a time: a store that hangs is not asked again and again. */
  #poll(): Promise<void> {
    this.#polling ??= this.#readRevision().finally(() => {
      this.#polling = undefined
    })
    return this.#polling
  }

  async #readRevision(): Promise<void> {
    const startedAt = performance.now()
    try {
      const revision = await readRevision(this.#store)
      if (revision !== this.#revision) this.forget()
      this.#revision = revision
      this.#readAt = startedAt
      this.#isStoreAway = false
    } catch (error) {
      // Once, not three times a second until it is back.
      if (!this.#isStoreAway) this.#log.warn({ err: error }, 'the control database does not answer')
      this.#isStoreAway = true
    }
  }
}
