import { execFileSync } from 'node:child_process'

/** Returns the resident memory of each process in MB. */
export const residentMb = (pids: readonly number[]): readonly number[] =>
  pids.map((pid) => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024)

/** Peak memory of each process during the first and the last requests of a run. */
export class MemoryWindows {
  readonly #names: readonly string[]
  readonly #pids: () => readonly number[]
  readonly #window: number
  readonly #total: number
  readonly #first: number[] = []
  readonly #last: number[] = []

  constructor(processes: Readonly<Record<string, () => number>>, total: number, windowMax: number) {
    this.#names = Object.keys(processes)
    this.#pids = () => Object.values(processes).map((pid) => pid())
    this.#total = total
    // Samples are taken after each thousand requests.
    this.#window = Math.max(1_000, Math.min(windowMax, total / 4))
  }

  /** Takes a sample after a number of requests. */
  sample(sent: number): void {
    const isFirst = sent <= this.#window
    if (!isFirst && sent < this.#total - this.#window) return
    const highest = isFirst ? this.#first : this.#last
    residentMb(this.#pids()).forEach((mb, index) => (highest[index] = Math.max(highest[index] ?? 0, Math.round(mb))))
  }

  get growth(): readonly { readonly name: string; readonly firstMb: number; readonly lastMb: number }[] {
    return this.#names.map((name, index) => ({
      name,
      firstMb: this.#first[index] ?? NaN,
      lastMb: this.#last[index] ?? NaN,
    }))
  }
}
