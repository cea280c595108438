import type { Logger } from 'pino'
import type { ReportStorage } from './storage.ts'

type Deps = { readonly storage: ReportStorage; readonly log: Logger; readonly now: () => number }

/** A quota can be used up while the disk has room, so what a write has found out holds for a while. */
const fullMs = 60_000

/** Watches the space for reports. The log tells when it gets short and when there is enough again, not every job. */
export class DiskWatch {
  readonly #deps: Deps
  readonly #freeBytesMin: number
  #isShort = false
  #fullUntil = -Infinity

  constructor(deps: Deps, freeBytesMin: number) {
    this.#deps = deps
    this.#freeBytesMin = freeBytesMin
  }

  /** Looks whether there is less than a report needs to be begun. */
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

  /** A write has found the disk full, or a quota used up. */
  noteFull(): void {
    this.#fullUntil = this.#deps.now() + fullMs
  }
}

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
