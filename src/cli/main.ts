#!/usr/bin/env node
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { fileURLToPath } from 'node:url'

// Without it, a third of the start is reading our own code. A folder that cannot be written is no error.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/adcube', import.meta.url)))
// For our child processes, too.
process.env['NODE_COMPILE_CACHE'] ??= getCompileCacheDir()

// Programs such as `head` close our output before its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

// Only modules that are imported from here on are cached.
const { CommanderError } = await import('@commander-js/extra-typings')
const { commandLine } = await import('./commands.ts')

try {
  const program = await commandLine((name) => process.argv.includes(name))
  await program.parseAsync()
} catch (error) {
  // Commander has printed its own errors; it ends by throwing after a help text, too.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else {
    const { explainError } = await import('./explain-error.ts')
    const { text, exitCode } = explainError(error)
    process.stderr.write(`${text}\n`)
    process.exitCode = exitCode
  }
}
