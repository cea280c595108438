/**
 * Runs command lines one after the other in this process, which starts once for all of them. Reads each as a line of JSON
 * from standard input, and prints its outcome as another.
 */
import { createInterface } from 'node:readline'

export type CommandOutcome = { code: number; stdout: string; stderr: string }

const print = process.stdout.write.bind(process.stdout)
const [node = '', script = ''] = process.argv
// Each evaluation of main.ts listens for errors of the output.
process.stdout.setMaxListeners(0)
let count = 0
for await (const line of createInterface(process.stdin)) {
  const outcome: CommandOutcome = { code: 0, stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (chunk: string | Uint8Array) => {
      outcome[name] += String(chunk)
      return true
    }
  process.argv = [node, script, ...(JSON.parse(line) as readonly string[])]
  process.exitCode = 0
  await import(`../../src/cli/main.ts?${count++}`)
  print(`${JSON.stringify({ ...outcome, code: process.exitCode })}\n`)
}
process.exitCode = 0
