import { randomInt } from 'node:crypto'
import { onTestFailed } from 'vitest'

/** Seed of this run. The same seed makes the same choices, except for keys, ids and the moments at which they are made. */
export const seed = Number(process.env.SEED ?? randomInt(2 ** 31))

export const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** Prints the seed, and after a failure the command that repeats the run. */
export function tellSeed(file: string, settings: Readonly<Record<string, number>>): void {
  const variables = Object.entries({ SEED: seed, ...settings }).map(([name, value]) => `${name}=${value}`)
  const command = `${variables.join(' ')} npm run test:soak -- --project soak tests/soak/${file}`
  say(`SEED=${seed}`)
  onTestFailed(() => say(`To repeat this run: ${command}`))
}
