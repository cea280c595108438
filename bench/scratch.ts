import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A folder that is removed when the process ends, however it ends. A folder that the caller names is kept. */
export function openScratch(named = ''): string {
  if (named !== '') {
    mkdirSync(named, { recursive: true, mode: 0o700 })
    return resolve(named)
  }
  const folder = mkdtempSync(join(tmpdir(), 'adcube-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

/** Prints a step on stderr, with the seconds since the start. */
export function say(text: string): void {
  process.stderr.write(`[${Math.round(performance.now() / 1_000)} s] ${text}\n`)
}
