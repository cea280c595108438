import { fork } from 'node:child_process'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { siblingModule } from '../../processes/sibling-module.ts'
import { FactsError } from '../errors.ts'
import type { ExportOptions, MadeCsv } from '../facts.ts'
import type { ExportNews, ExportOrder } from './export-child.ts'
import { toFactsError } from './trouble.ts'

/** Runs an export in a process of its own, which ends at once when it is cancelled, late or not needed any more. */
export async function runExport(
  order: ExportOrder,
  target: Writable,
  { msMax, signal, onProgress }: Omit<ExportOptions, 'id'>,
): Promise<MadeCsv> {
  const deadline = AbortSignal.timeout(msMax)
  const aborted = AbortSignal.any([signal, deadline])
  if (signal.aborted) throw new FactsError('cancelled')
  const child = fork(siblingModule(import.meta.url, 'export-child'), {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const stop = (): void => void child.kill('SIGKILL')
  aborted.addEventListener('abort', stop, { once: true })
  let made: MadeCsv | undefined
  let error: string | undefined
  child.on('message', (news: ExportNews) => {
    if ('progress' in news) onProgress(news.progress)
    else if ('made' in news) made = news.made
    else error = news.error
    // Its exit would wait for the engine's threads.
    if (!('progress' in news)) child.disconnect()
  })
  const ended = new Promise<unknown>((resolve) => child.once('exit', resolve).on('error', resolve))
  try {
    child.send(order, () => {})
    if (!child.stdout) throw new Error('an export without an output')
    await pipeline(child.stdout, target, { signal: aborted })
    await ended
    if (made) return made
    throw error === undefined ? new FactsError('away') : toFactsError(new Error(error))
  } catch (cause) {
    if (signal.aborted) throw new FactsError('cancelled', cause)
    if (deadline.aborted) throw new FactsError('timeout', cause)
    throw cause
  } finally {
    stop()
    // Whoever called removes its folder next.
    await ended
    aborted.removeEventListener('abort', stop)
  }
}
