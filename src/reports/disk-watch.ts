import type { JobDeps } from './job.ts'

type Deps = Pick<JobDeps, 'storage' | 'log' | 'now'>

/** A failed write counts for this long, because a quota can be used up while the disk has free space. */
const fullMs = 60_000

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

  /** Records that a write failed because the disk is full or a quota is used up. */
  noteFull(): void {
    this.#fullUntil = this.#deps.now() + fullMs
  }
}

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
