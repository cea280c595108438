/** Unpacking a report takes most of a core: enough for a client that fetches in parts, not for keeping a server busy. */
const ofReportMax = 4
const ofAddressMax = 16

/** Counts the downloads under way on this node, by report and by address. */
export class DownloadPlaces {
  readonly #taken = new Map<string, number>()

  /** A place for one download, as the function that gives it back; undefined where there is none. */
  take(jobId: string, address: string): (() => void) | undefined {
    const [report, origin] = [`report ${jobId}`, `address ${address}`]
    if (this.#count(report) >= ofReportMax || this.#count(origin) >= ofAddressMax) return undefined
    this.#add(report, 1)
    this.#add(origin, 1)
    return () => {
      this.#add(report, -1)
      this.#add(origin, -1)
    }
  }

  #count(name: string): number {
    return this.#taken.get(name) ?? 0
  }

  #add(name: string, change: 1 | -1): void {
    const count = this.#count(name) + change
    if (count === 0) this.#taken.delete(name)
    else this.#taken.set(name, count)
  }
}
