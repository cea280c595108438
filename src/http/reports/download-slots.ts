/** Unpacking a report takes most of a core: enough for a client that fetches parts in parallel, not for one that overloads. */
const perReportMax = 4
const perAddressMax = 16

/** Counts the downloads in progress on this node, by report and by address. */
export class DownloadSlots {
  readonly #taken = new Map<string, number>()

  /** Takes a slot for one download and returns the function that releases it; undefined if there is none. */
  take(jobId: string, address: string): (() => void) | undefined {
    const [report, origin] = [`report ${jobId}`, `address ${address}`]
    if (this.#count(report) >= perReportMax || this.#count(origin) >= perAddressMax) return undefined
    this.#add([report, origin], 1)
    return () => this.#add([report, origin], -1)
  }

  #count(name: string): number {
    return this.#taken.get(name) ?? 0
  }

  #add(names: readonly string[], change: 1 | -1): void {
    for (const name of names) {
      const count = this.#count(name) + change
      if (count === 0) this.#taken.delete(name)
      else this.#taken.set(name, count)
    }
  }
}
