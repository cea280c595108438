type Output = { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown }

export type Progress = {
  readonly step: string
  /** Of this step, from 0 to 1; undefined where nobody knows how much there is. */
  readonly share: number | undefined
  /** What it is busy with, where that matters. */
  readonly name?: string
}

const barWidth = 24
/** A file gets lines instead, and not many. */
const lineMs = 10_000

/** How far something is: a bar that moves for a person, a line now and then for a file. */
export class ProgressBar {
  readonly #output: Output
  readonly #now: () => number
  #step = ''
  #stepStartedAt = 0
  #toldAt: number
  #isShown = false

  constructor(output: Output, now: () => number) {
    this.#output = output
    this.#now = now
    this.#toldAt = now()
  }

  show(progress: Progress): void {
    const now = this.#now()
    const step = progress.name === undefined ? progress.step : `${progress.step} ${progress.name}`
    if (step !== this.#step) {
      this.#step = step
      this.#stepStartedAt = now
    }
    if (this.#output.isTTY === true) {
      const text = this.#describe(progress.share, now).slice(0, (this.#output.columns ?? 100) - 1)
      this.#output.write(`\r\u001B[K${text}`)
      this.#isShown = true
    } else if (now - this.#toldAt >= lineMs) {
      this.#output.write(`${this.#describe(progress.share, now)}\n`)
      this.#toldAt = now
    }
  }

  end(): void {
    if (this.#isShown) this.#output.write('\r\u001B[K')
    this.#isShown = false
  }

  #describe(share: number | undefined, now: number): string {
    if (share === undefined) return this.#step
    const seconds = (now - this.#stepStartedAt) / 1000
    const parts = [
      `${barOf(share)} ${String(Math.floor(share * 100)).padStart(3)} %`,
      this.#step,
      // The first second tells little about the rest.
      ...(share > 0 && share < 1 && seconds > 1 ? [`${spell((seconds * (1 - share)) / share)} left`] : []),
    ]
    return parts.join('  ')
  }
}

function barOf(share: number): string {
  const done = Math.round(share * barWidth)
  return `[${'#'.repeat(done)}${'.'.repeat(barWidth - done)}]`
}

function spell(seconds: number): string {
  const whole = Math.ceil(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}
