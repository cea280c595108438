import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { Engine } from '../src/engine/engine.ts'
import { openFolderStorage } from '../src/reports/folder-storage.ts'
import { ReportWorkers } from '../src/reports/workers.ts'
import type { Store } from '../src/store/open-store.ts'

/** As ADCUBE_EXPORT_MEMORY_MB is where it is not set. */
export const exportMemoryBytes = 3072 * 1024 * 1024

type Deps = { readonly engine: Engine; readonly store: Store; readonly log: Logger }

/** Reports for a bench, as the server has them by default; the workers are not started. */
export async function openBenchReports(folder: string, { engine, store, log }: Deps, slots = 1) {
  const storage = await openFolderStorage(folder)
  const settings = { slots, memoryBytesMax: exportMemoryBytes, freeBytesMin: 0, keepMs: 86_400_000 }
  const workers = new ReportWorkers({ engine, store, storage, log, now: Date.now }, settings)
  return {
    storage,
    workers,
    linkSecret: randomBytes(32),
    publicUrl: undefined,
    // An emulated engine needs an hour for what takes a minute.
    exportMsMax: 12 * 3_600_000,
    keepMs: 86_400_000,
  }
}
