import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { CheckOptions } from '../facts/facts.ts'
import type { ReportStorage } from './storage.ts'
import { findJob } from './job.ts'
import type { Store } from '../store/open-store.ts'
import { listReports, type StoredReport } from './stored-reports.ts'
import { attemptOf } from './sweep-reports.ts'

/** Pieces of 16 KB, the default, cost more time than unpacking itself. */
const chunkSize = 256 * 1024

type Deps = {
  readonly control: { readonly store: Store; renew(): Promise<void> }
  readonly storage: ReportStorage
}

type Options = Pick<CheckOptions, 'signal' | 'onFinding'> & { readonly onChecked: () => void }

/**
 * Unpacks every report and compares it with the record of its job. Reports come and go meanwhile, so the jobs of those that
 * differ are read again.
 */
export async function checkReports(
  { control, storage }: Deps,
  { signal, onFinding, onChecked }: Options,
): Promise<void> {
  const files = await storage.list()
  const named = new Set<string>()
  const wrong: { readonly id: string; readonly file: string; readonly reason: string }[] = []
  for await (const report of listReports(control.store)) {
    signal.throwIfAborted()
    named.add(report.file)
    const reason = await inspect(storage, report)
    if (reason !== undefined) wrong.push({ ...report, reason })
    onChecked()
  }
  const others = files.filter((each) => !named.has(each))
  if (wrong.length + others.length > 0) await control.renew()
  for (const { id, file, reason } of wrong) {
    if ((await findJob(control.store, id))?.file === file) onFinding({ place: placeOf(file), reason })
  }
  for (const file of others) {
    const job = await findJob(control.store, attemptOf(file).jobId)
    // A job under way is about to name the file, or a dead attempt at it has left the file, which the sweep removes.
    if (job?.state === 'PROCESSING' || job?.file === file || (await storage.measure(file)) === undefined) continue
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
