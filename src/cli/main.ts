#!/usr/bin/env node
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { fileURLToPath } from 'node:url'

// A third of a start was reading our own code. Where the folder cannot be written, that is all it costs.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/adcube', import.meta.url)))
// Our child processes, too.
process.env['NODE_COMPILE_CACHE'] ??= getCompileCacheDir()

// Whoever reads our output may have enough of it, as `head` has.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

// Only what is imported from here on is cached.
const { commandLine } = await import('./commands.ts')

/** What was typed wrong is 2, a server that is away 3, any other error 1. Commander has told its own. */
function tellError(error: unknown): number {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  if (name === 'CommanderError') return (error as { exitCode?: unknown }).exitCode === 0 ? 0 : 2
  process.stderr.write(name === 'SettingsError' ? `${message}\n` : `adcube: ${message}\n`)
  return { SettingsError: 2, ServerAway: 3 }[name] ?? 1
}

try {
  await commandLine().parseAsync()
} catch (error) {
  process.exitCode = tellError(error)
}
