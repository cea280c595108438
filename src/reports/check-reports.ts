import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Finding } from '../facts/facts.ts'
import { findJob, isJobUnderWay } from '../store/jobs.ts'
import { listReports, type StoredReport } from '../store/stored-reports.ts'
import type { Store } from '../store/open-store.ts'
import type { ReportStorage } from './storage.ts'
import { attemptOf } from './sweep-reports.ts'

type Deps = { readonly store: Store; readonly storage: ReportStorage }

/** Of one piece: with the usual 16 KB, going to and fro takes longer than unpacking. */
const chunkSize = 256 * 1024

type Options = {
  readonly signal: AbortSignal
  readonly onFinding: (finding: Finding) => void
  readonly onChecked: () => void
}

/**
 * Unpacks every report and compares it with what its job has on record. Reports come and go meanwhile, so what looks
 * wrong is held against the jobs once more.
 */
export async function checkReports({ store, storage }: Deps, { signal, onFinding, onChecked }: Options): Promise<void> {
  const files = await storage.list()
  const named = new Set<string>()
  for await (const report of listReports(store)) {
    signal.throwIfAborted()
    named.add(report.file)
    const reason = await inspect(storage, report)
    const isOnRecord = async (): Promise<boolean> => (await findJob(store, report.id))?.file === report.file
    if (reason !== undefined && (await isOnRecord())) onFinding({ place: placeOf(report.file), reason })
    onChecked()
  }
  for (const file of files.filter((each) => !named.has(each))) {
    const { jobId: id } = attemptOf(file)
    // Of a job that is under way it is one that is about to be named, or what an attempt left that died.
    if (await isJobUnderWay(store, id)) continue
    if ((await findJob(store, id))?.file === file || (await storage.measure(file)) === undefined) continue
    onFinding({ place: placeOf(file), reason: 'is a stray file: it belongs to no job' })
  }
}

const placeOf = (file: string): string => `reports/${file}`

async function inspect(storage: ReportStorage, { file, bytes, checksum }: StoredReport): Promise<string | undefined> {
  if ((await storage.measure(file)) === undefined) return 'is missing'
  const hash = createHash('sha256')
  let size = 0
  try {
    await pipeline(storage.read(file), createGunzip({ chunkSize }), async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) {
        hash.update(piece)
        size += piece.length
      }
    })
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`
  }
  if (size !== bytes) return `has ${size} bytes of CSV instead of ${bytes}`
  return hash.digest('hex') === checksum ? undefined : 'was changed: its checksum differs'
}
