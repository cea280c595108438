import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Engine } from '../engine/engine.ts'
import { toEngineError } from '../engine/errors.ts'
import { streamCsv, type ExportLimits } from '../engine/stream-csv.ts'
import type { Statement } from '../query/compile.ts'
import { CsvMeter } from './csv-meter.ts'
import type { ReportStorage } from './storage.ts'
import { unpackReport } from './unpack-report.ts'

export type Report = { readonly file: string; readonly rows: number; readonly bytes: number; readonly checksum: string }

type Options = {
  readonly file: string
  readonly queryId: string
  readonly limits: ExportLimits
  readonly signal: AbortSignal
  /** Told how many rows have gone by. */
  readonly onRows: (rows: number) => void
}

/**
 * Streams the answer to a statement into storage, as the engine packed it, and publishes it when it is whole: the stream
 * has ended without an error, and what was written unpacks to the end that gzip marks. Memory does not grow with it.
 */
export async function exportReport(
  { engine, storage }: { readonly engine: Engine; readonly storage: ReportStorage },
  statement: Statement,
  { file, queryId, limits, signal, onRows }: Options,
): Promise<Report> {
  const draft = await storage.draft(file)
  const gunzip = unpackReport()
  const meter = new CsvMeter()
  const measured = pipeline(gunzip, meter)
  // Its error is heard below; until then it must not count as unheard.
  measured.catch(() => {})
  const copy = new Transform({
    transform(chunk, _encoding, done) {
      onRows(meter.rows)
      // Neither the disk nor the measuring is let run behind.
      if (gunzip.write(chunk)) done(null, chunk)
      else gunzip.once('drain', () => done(null, chunk))
    },
    flush(done) {
      gunzip.end()
      done()
    },
  })
  gunzip.once('error', (error) => copy.destroy(error))
  try {
    const source = await streamCsv(engine, statement, { queryId, limits, signal })
    await pipeline(source, copy, draft.stream, { signal })
    await measured
    await draft.publish()
    return { file, rows: meter.rows, bytes: meter.bytes, checksum: meter.digest() }
  } catch (error) {
    gunzip.destroy()
    await draft.discard()
    throw toEngineError(error)
  }
}
