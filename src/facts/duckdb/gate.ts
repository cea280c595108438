import { FactsError } from '../errors.ts'

type Waiting = { readonly enter: () => void }

const waitingOfAccountMax = 64
const waitingMax = 1_024

/**
 * Lets as many queries in at once as there are places. The others wait, and those of different accounts take turns. One
 * place more is for accounts that have no query running, so that nobody waits for all the heavy queries of another.
 */
export class Gate {
  readonly #places: number
  readonly #running = new Map<string, number>()
  /** In the order in which the accounts are served next. */
  readonly #waiting = new Map<string, Waiting[]>()
  #runningAll = 0
  #waitingAll = 0

  constructor(places: number) {
    this.#places = places
  }

  /** Resolves with the way out when there is room; rejects where too many wait already or the caller gives up. */
  async enter(account: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const line = this.#waiting.get(account) ?? []
    if (line.length >= waitingOfAccountMax || this.#waitingAll >= waitingMax) throw new FactsError('busy')
    return new Promise((resolve, reject) => {
      const leaveLine = (): void => {
        this.#take(account, waiting)
        reject(signal.reason as Error)
      }
      const waiting: Waiting = {
        enter: () => {
          signal.removeEventListener('abort', leaveLine)
          resolve(this.#admit(account))
        },
      }
      signal.addEventListener('abort', leaveLine, { once: true })
      this.#waiting.set(account, [...line, waiting])
      this.#waitingAll++
      this.#letIn()
    })
  }

  #admit(account: string): () => void {
    this.#runningAll++
    this.#running.set(account, (this.#running.get(account) ?? 0) + 1)
    return () => {
      this.#runningAll--
      const left = (this.#running.get(account) ?? 1) - 1
      if (left === 0) this.#running.delete(account)
      else this.#running.set(account, left)
      this.#letIn()
    }
  }

  #letIn(): void {
    for (;;) {
      const next = this.#next()
      if (!next) return
      const [account, waiting] = next
      this.#take(account, waiting)
      // To the end of the round.
      const line = this.#waiting.get(account)
      if (line && this.#waiting.delete(account)) this.#waiting.set(account, line)
      waiting.enter()
    }
  }

  #next(): readonly [string, Waiting] | undefined {
    if (this.#runningAll > this.#places) return undefined
    for (const [account, [first]] of this.#waiting) {
      if (first && (this.#runningAll < this.#places || !this.#running.has(account))) return [account, first]
    }
    return undefined
  }

  #take(account: string, waiting: Waiting): void {
    const rest = (this.#waiting.get(account) ?? []).filter((each) => each !== waiting)
    this.#waitingAll--
    if (rest.length === 0) this.#waiting.delete(account)
    else this.#waiting.set(account, rest)
  }
}
