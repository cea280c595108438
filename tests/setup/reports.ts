import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { atEnd } from './at-end.ts'
import type { Facts } from '../../src/facts/facts.ts'
import { openFolderStorage } from '../../src/reports/storage.ts'
import { ReportWorkers, type WorkerSettings } from '../../src/reports/workers.ts'
import type { Store } from '../../src/store/open-store.ts'

const dayMs = 86_400_000

type Deps = { readonly facts: Facts; readonly store: Store; readonly now: () => number; readonly log?: Logger }

/** Creates a folder for reports that is removed after the file's tests. */
async function makeReportsFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-reports-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Opens a folder for reports, a new one unless one is given, and workers that the test can start. */
export async function openReports(deps: Deps, settings: Partial<WorkerSettings> = {}, given?: string) {
  const folder = given ?? (await makeReportsFolder())
  const storage = await openFolderStorage(folder, 'tests')
  const workers = new ReportWorkers(
    { log: pino({ level: 'silent' }), ...deps, storage },
    { slots: 2, freeBytesMin: 0, keepMs: 7 * dayMs, ...settings },
  )
  atEnd(() => workers.stop())
  const reports = {
    storage,
    workers,
    linkSecret: randomBytes(32),
    publicUrl: undefined,
    exportMsMax: 3_600_000,
    keepMs: 7 * dayMs,
  }
  return { folder, storage, workers, reports }
}
