import type { JobDeps } from './job.ts'

type Deps = Pick<JobDeps, 'storage' | 'log' | 'now'>

/** A failed write counts for this long, because a quota can be used up while the disk has free space. */
const fullMs = 60_000
/** How often the disk is looked at while a report is made. */
const lookMs = 1_000

/** Watches the free space for reports, and logs when it becomes short and when it is enough again. */
export class DiskWatch {
  readonly #deps: Deps
  readonly #freeBytesMin: number
  #isShort = false
  #fullUntil = -Infinity

  constructor(deps: Deps, freeBytesMin: number) {
    this.#deps = deps
    this.#freeBytesMin = freeBytesMin
  }

  /** Checks whether there is too little space to begin a report. */
  async isShort(): Promise<boolean> {
    const { storage, log, now } = this.#deps
    const freeBytes = await storage.freeBytes()
    const isShort = freeBytes < this.#freeBytesMin || now() < this.#fullUntil
    if (isShort !== this.#isShort) {
      const space = { freeBytes, freeBytesMin: this.#freeBytesMin }
      if (isShort) log.warn(space, 'not enough free disk space; reports wait')
      else log.info(space, 'enough free disk space again; reports continue')
    }
    this.#isShort = isShort
    return isShort
  }

  /** Watches the disk while a report is made, until it is disposed of: its signal is aborted when half of the space is gone. */
  watch(): Disposable & { readonly signal: AbortSignal } {
    const low = new AbortController()
    const look = async (): Promise<void> => {
      // A folder that cannot be read now fails the report itself, if it stays so.
      const freeBytes = await this.#deps.storage.freeBytes().catch(() => Infinity)
      if (freeBytes < this.#freeBytesMin / 2) low.abort()
    }
    let looking: Promise<void> | undefined
    const timer = setInterval(() => (looking ??= look().finally(() => (looking = undefined))), lookMs)
    return { signal: low.signal, [Symbol.dispose]: () => clearInterval(timer) }
  }

  /** Records that a report ended because the disk is nearly full, or a quota is used up. */
  noteFull(): void {
    this.#fullUntil = this.#deps.now() + fullMs
  }
}

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
