/** A line on stderr for each thing that takes longer than a second, with the seconds since the start of the bench. */
export function say(text: string): void {
  const seconds = Math.round(performance.now() / 1000)
  process.stderr.write(`[${String(seconds).padStart(4)} s] ${text}\n`)
}

export const secondsSince = (startMs: number): number => (performance.now() - startMs) / 1000
