import type { Selectable } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { LineFull, WaitingLine } from '../concurrency/waiting-line.ts'
import { Batches } from '../store/batches.ts'
import type { Account } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'
import { isKeyWellFormed } from './key-form.ts'
import { digestOf, isSameVerifier } from './secret-digest.ts'

/** `busy` if too many unknown keys of the same origin wait already. */
export type Refusal = 'missing' | 'invalid' | 'expired' | 'disabled' | 'busy'
/** The id is of a key that is right, whether it may be used or not. */
export type Verdict = { readonly keyId?: string } & ({ readonly account: Account } | { readonly refusal: Refusal })

type FoundKey = Account & Pick<Selectable<Tables['apiKeys']>, 'verifier' | 'expiresAt'> & { readonly keyId: string }

/** The last use of a key is shown to people: minutes would do. */
const usageMs = 15_000

/** Together fewer than the connections to the database, so that keys that were found before need not wait. */
const unknownLimits = { places: 3, placesOfOthers: 3, waitingMax: 1_024, waitingOfNameMax: 64 }
const knownMax = 10_000

/**
 * Verifies API keys. Each request reads its key and account from the database, so a change holds on every node from the
 * next request on. The times of use are collected, and stored from time to time.
 */
export class KeyVerifier {
  readonly #store: Store
  readonly #log: Logger
  readonly #find: (selector: string) => Promise<FoundKey | undefined>
  /** Selectors that were found. They grant nothing: each request reads its key again. */
  readonly #known = new LRUCache<string, true>({ max: knownMax })
  readonly #unknown = new WaitingLine(unknownLimits)
  readonly #used = new Map<string, number>()
  readonly #timer: NodeJS.Timeout

  constructor(store: Store, log: Logger) {
    this.#store = store
    this.#log = log
    this.#find = openFind(store)
    this.#timer = setInterval(() => void this.saveUsage(), usageMs).unref()
  }

  /**
   * Finds the account of a key. Unknown, deleted and misspelt keys get the same answer: it must not tell which existed.
   */
  async verify(text: string | undefined, now: number, originOf = () => ''): Promise<Verdict> {
    if (text === undefined || text === '') return { refusal: 'missing' }
    if (!isKeyWellFormed(text)) return { refusal: 'invalid' }
    const { selector, verifier } = digestOf(text)
    const found = this.#known.has(selector) ? await this.#find(selector) : await this.#findUnknown(selector, originOf())
    if (found === 'busy') return { refusal: 'busy' }
    if (found) this.#known.set(selector, true)
    else this.#known.delete(selector)
    if (!found || !isSameVerifier(found.verifier, verifier)) return { refusal: 'invalid' }
    const { keyId, verifier: _, expiresAt, ...account } = found
    if (now >= expiresAt) return { refusal: 'expired', keyId }
    if (account.disabledAt !== null) return { refusal: 'disabled', keyId }
    this.#used.set(keyId, now)
    return { account, keyId }
  }

  /** Finds a key that was not found before. A few at a time, so that nobody who guesses keys delays others. */
  async #findUnknown(selector: string, origin: string): Promise<FoundKey | 'busy' | undefined> {
    const leave = await this.#unknown.enter(origin).catch(explainFull)
    if (!leave) return 'busy'
    try {
      return await this.#find(selector)
    } finally {
      leave()
    }
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
    clearInterval(this.#timer)
    await this.saveUsage()
  }
}

function explainFull(error: unknown): undefined {
  if (!(error instanceof LineFull)) throw error
}

/** Finds the key with one half of a digest, and its account. Requests that ask for one key at the same time share a read. */
function openFind(store: Store): (selector: string) => Promise<FoundKey | undefined> {
  // Compiled once: that takes longer than the reading.
  const query = store
    .selectFrom('apiKeys')
    .innerJoin('accounts', 'accounts.id', 'apiKeys.accountId')
    .selectAll('accounts')
    .select(['apiKeys.id as keyId', 'apiKeys.verifier', 'apiKeys.expiresAt'])
    .where('selector', '=', '')
    .where('deletedAt', 'is', null)
    .compile()
  const batches = new Batches<undefined, FoundKey | undefined>(async (selector, asked) => {
    const { rows } = await store.executeQuery<FoundKey>({ ...query, parameters: [selector] })
    return asked.map(() => rows[0])
  })
  return (selector) => batches.ask(selector, undefined)
}

/** Stores when keys were last used. Nodes may report late and out of order: the latest time stays. */
async function markKeysUsed(store: Store, times: ReadonlyMap<string, number>): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    // In the same order everywhere, so that two nodes cannot deadlock.
    for (const [id, usedAt] of [...times].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      await transaction
        .updateTable('apiKeys')
        .set({ lastUsedAt: usedAt })
        .where('id', '=', id)
        .where((sql) => sql.or([sql('lastUsedAt', 'is', null), sql('lastUsedAt', '<', usedAt)]))
        .execute()
    }
  })
}
