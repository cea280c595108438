/** Too many wait already. */
export class LineFull extends Error {}

type Limits = {
  readonly places: number
  /** Further places, only for names that have none. So nobody waits for all the long work of another. */
  readonly placesOfOthers?: number
  readonly waitingMax?: number
  readonly waitingOfNameMax?: number
}

/** Limits how much is done at the same time. What has to wait is admitted by name in turn, in the order of its arrival. */
export class WaitingLine {
  readonly #limits: Required<Limits>
  readonly #running = new Map<string, number>()
  /** The functions that admit, by name, in the order in which the names have their turns. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #runningAll = 0
  #waitingAll = 0

  constructor({ waitingMax = Infinity, ...limits }: Limits) {
    this.#limits = { placesOfOthers: 0, waitingMax, waitingOfNameMax: waitingMax, ...limits }
  }

  /** Resolves with the function that frees the place again. Rejects with LineFull, or when the signal is given. */
  async enter(name = '', signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const line = this.#waiting.get(name) ?? new Set()
    const { waitingMax, waitingOfNameMax } = this.#limits
    if (line.size >= waitingOfNameMax || this.#waitingAll >= waitingMax) throw new LineFull()
    const { promise, resolve: admit, reject } = Promise.withResolvers<void>()
    const giveUp = (): void => {
      this.#remove(name, admit)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    this.#waiting.set(name, line.add(admit))
    this.#waitingAll++
    this.#admit()
    await promise
    signal?.removeEventListener('abort', giveUp)
    return () => this.#leave(name)
  }

  #leave(name: string): void {
    const left = (this.#running.get(name) ?? 1) - 1
    if (left === 0) this.#running.delete(name)
    else this.#running.set(name, left)
    this.#runningAll--
    this.#admit()
  }

  #admit(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const [name, line, admit] = next
      this.#remove(name, admit)
      // To the end of the round.
      if (this.#waiting.delete(name)) this.#waiting.set(name, line)
      this.#running.set(name, (this.#running.get(name) ?? 0) + 1)
      this.#runningAll++
      admit()
    }
  }

  #next(): readonly [string, Set<() => void>, () => void] | undefined {
    const { places, placesOfOthers } = this.#limits
    if (this.#runningAll >= places + placesOfOthers) return undefined
    for (const [name, line] of this.#waiting) {
      const [first] = line
      if (first && (this.#runningAll < places || !this.#running.has(name))) return [name, line, first]
    }
    return undefined
  }

  #remove(name: string, admit: () => void): void {
    const line = this.#waiting.get(name)
    if (!line?.delete(admit)) return
    this.#waitingAll--
    if (line.size === 0) this.#waiting.delete(name)
  }
}
