/** Runs all parts one after the other. Those that need a filled data folder share one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { fillFlags } from './fill.ts'
import { readFlags } from './flags.ts'
import { openScratch, say } from './scratch.ts'

const flags = readFlags('node bench/all.ts: every part, with as many rows', fillFlags)
const filled = ['--data', openScratch(flags.data), '--rows', String(flags.rows), '--small', String(flags.small)]
const parts: readonly (readonly [part: string, args: readonly string[]])[] = [
  ['synchronous', filled],
  ['repeated', filled],
  ['flood', filled],
  ['exports', filled],
  ['loads', ['--rows', String(flags.rows)]],
  ['growth', []],
  ['access', []],
]
for (const [part, args] of parts) {
  say(part)
  const file = fileURLToPath(new URL(`./${part}.ts`, import.meta.url))
  const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit' })
  process.once('exit', () => child.kill('SIGTERM'))
  const [code] = await once(child, 'exit')
  if (code !== 0) process.exitCode = 1
}
