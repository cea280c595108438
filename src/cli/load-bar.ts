import type { LoadProgress } from '../ingest/watch-intake.ts'

type Output = { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown }

const barWidth = 24
/** A file gets lines instead, and not many. */
const lineMs = 10_000

/** How far a load is: a bar that moves for a person, a line now and then for a file. */
export class LoadBar {
  readonly #output: Output
  readonly #now: () => number
  readonly #startedAt: number
  #fileStartedAt = 0
  #file = 0
  #toldAt = 0
  #isShown = false

  constructor(output: Output, now: () => number) {
    this.#output = output
    this.#now = now
    this.#startedAt = now()
    this.#toldAt = this.#startedAt
  }

  show(progress: LoadProgress): void {
    const now = this.#now()
    if (progress.file !== this.#file) {
      this.#file = progress.file
      this.#fileStartedAt = now
    }
    if (this.#output.isTTY === true) {
      const text = this.#describe(progress, now).slice(0, (this.#output.columns ?? 100) - 1)
      this.#output.write(`\r\u001B[K${text}`)
      this.#isShown = true
    } else if (now - this.#toldAt >= lineMs) {
      this.#output.write(`${this.#describe(progress, now)}\n`)
      this.#toldAt = now
    }
  }

  end(): void {
    if (this.#isShown) this.#output.write('\r\u001B[K')
    this.#isShown = false
  }

  #describe({ file, files, name, rows, share }: LoadProgress, now: number): string {
    const seconds = Math.max(0.001, (now - this.#startedAt) / 1000)
    const fileSeconds = (now - this.#fileStartedAt) / 1000
    const parts = [
      ...(share === undefined ? [] : [`${barOf(share)} ${String(Math.floor(share * 100)).padStart(3)} %`]),
      `${count(rows)} rows`,
      `${count(Math.round(rows / seconds))} rows/s`,
      // The first second tells little about the rest.
      ...(share !== undefined && share > 0 && fileSeconds > 1
        ? [`${spell((fileSeconds * (1 - share)) / share)} left`]
        : []),
      files === 1 ? name : `${name} (${file} of ${files})`,
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

const count = (value: number): string => value.toLocaleString('en-US')
