import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Child } from '../../concurrency/child-process.ts'
import { withDeadline } from '../errors.ts'
import type { ExportOptions, MadeCsv } from '../facts.ts'
import type { ExportOrder } from './export-child.ts'
import { toFactsError } from './trouble.ts'

/** Makes a report in a process of its own, which is killed when it is cancelled, late or done. */
export function runExport(
  order: ExportOrder,
  target: Writable,
  { msMax, signal, onProgress }: ExportOptions,
): Promise<MadeCsv> {
  return withDeadline({ msMax, signal, toFactsError }, async (aborted) => {
    const child = new Child<ExportOrder, MadeCsv>(import.meta.url, 'export-child', {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    try {
      // All of the CSV is in the pipe when the answer comes. To exit, the child would wait for the engine's threads.
      const made = child.ask(order, { signal: aborted, cancelMsMax: 0, onProgress }).finally(() => child.kill())
      made.catch(() => {})
      if (!child.process.stdout) throw new Error('an export without an output')
      await pipeline(child.process.stdout, target, { signal: aborted })
      return await made
    } finally {
      child.kill()
      // The caller removes its folder next.
      await child.ended
    }
  })
}
