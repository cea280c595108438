import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { Engine } from '../src/engine/engine.ts'
import { openFolderStorage } from '../src/reports/folder-storage.ts'
import { ReportWorkers } from '../src/reports/workers.ts'
import type { Store } from '../src/store/open-store.ts'

type Deps = { readonly engine: Engine; readonly store: Store; readonly log: Logger }

/** Reports for a bench that asks for none: the workers are not started. */
export async function openBenchReports(folder: string, { engine, store, log }: Deps) {
  const storage = await openFolderStorage(folder)
  const settings = { slots: 1, memoryBytesMax: 2 ** 31, freeBytesMin: 0, keepMs: 86_400_000 }
  const workers = new ReportWorkers({ engine, store, storage, log, now: Date.now }, settings)
  return {
    storage,
    workers,
    linkSecret: randomBytes(32),
    publicUrl: undefined,
    exportMsMax: 3_600_000,
    keepMs: 86_400_000,
  }
}
