import { FactsError } from './errors.ts'

type Caller = {
  readonly signal: AbortSignal
  readonly onBegin?: () => void
}

/** Work that is done once for all who wait for its result. It is stopped when the last of them has gone. */
export class SharedRun<Result> {
  readonly result: Promise<Result>
  readonly #stop = new AbortController()
  readonly #callers = new Set<Caller>()
  #hasBegun = false

  constructor(work: (options: Required<Caller>) => Promise<Result>) {
    this.result = work({ signal: this.#stop.signal, onBegin: () => this.#begin() })
  }

  /** Nobody waits for it any more, and nobody may start to. */
  get isStopped(): boolean {
    return this.#stop.signal.aborted
  }

  async join(caller: Caller): Promise<Result> {
    this.#callers.add(caller)
    if (this.#hasBegun) caller.onBegin?.()
    const gone = Promise.withResolvers<never>()
    const leave = (): void => {
      this.#callers.delete(caller)
      if (this.#callers.size === 0) this.#stop.abort()
      gone.reject(new FactsError('cancelled', caller.signal.reason))
    }
    caller.signal.addEventListener('abort', leave, { once: true })
    if (caller.signal.aborted) leave()
    try {
      return await Promise.race([this.result, gone.promise])
    } finally {
      caller.signal.removeEventListener('abort', leave)
      this.#callers.delete(caller)
    }
  }

  #begin(): void {
    this.#hasBegun = true
    for (const { onBegin } of this.#callers) onBegin?.()
  }
}
