type Output = { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown }

export type Progress = {
  readonly step: string
  /** The share of this step that is done, from 0 to 1; undefined if the total is unknown. */
  readonly share: number | undefined
  /** The file that the step works on. */
  readonly name?: string
}

const barWidth = 24
/** Time between two lines in a file. */
const lineMs = 10_000

/** Shows progress: a bar that moves on a terminal, a line now and then in a file. */
export class ProgressBar implements Disposable {
  readonly #output: Output
  readonly #now: () => number
  #step = ''
  #stepStartedAt = 0
  #lineAt: number
  #isShown = false

  constructor(output: Output, now: () => number, firstLineAfterMs = lineMs) {
    this.#output = output
    this.#now = now
    this.#lineAt = now() - lineMs + firstLineAfterMs
  }

  show(progress: Progress): void {
    const now = this.#now()
    const step = progress.name === undefined ? progress.step : `${progress.step} ${progress.name}`
    if (step !== this.#step) {
      this.#step = step
      this.#stepStartedAt = now
    }
    if (this.#output.isTTY === true) {
      const text = this.#describe(progress.share, now).slice(0, (this.#output.columns || 100) - 1)
      this.#output.write(`\r\u001B[K${text}`)
      this.#isShown = true
    } else if (now - this.#lineAt >= lineMs) {
      this.#output.write(`${this.#describe(progress.share, now)}\n`)
      this.#lineAt = now
    }
  }

  /** Clears the bar, before other output. */
  end(): void {
    if (this.#isShown) this.#output.write('\r\u001B[K')
    this.#isShown = false
  }

  [Symbol.dispose](): void {
    this.end()
  }

  #describe(share: number | undefined, now: number): string {
    if (share === undefined) return this.#step
    const seconds = (now - this.#stepStartedAt) / 1000
    const parts = [
      `${drawBar(share)} ${String(Math.floor(share * 100)).padStart(3)} %`,
      this.#step,
      // The first second is too short for an estimate.
      ...(share > 0 && share < 1 && seconds > 1 ? [`${formatDuration((seconds * (1 - share)) / share)} left`] : []),
    ]
    return parts.join('  ')
  }
}

function drawBar(share: number): string {
  const done = Math.round(share * barWidth)
  return `[${'#'.repeat(done)}${'.'.repeat(barWidth - done)}]`
}

function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}

/** Shows progress on stderr, unless a script asked for JSON. */
export const openProgress = ({ json }: { readonly json?: boolean | undefined } = {}): ProgressBar =>
  new ProgressBar(json === true ? { write: () => {} } : process.stderr, Date.now)
