import type { FileFault } from '../store/loads.ts'
import type { Source } from './source.ts'

/** What keeps the engine from reading any file. */
const ours = /^(?:Out of Memory|INTERRUPT|INTERNAL|FATAL|Binder|Parser|Catalog|Permission) Error/

const words: Record<Source['format'], string> = {
  csv: 'cannot be read as CSV',
  ndjson: 'is not valid JSON',
  parquet: 'is not a valid Parquet file',
}

/** What it means when the engine cannot read a file; undefined where the file is not to blame. */
export function explainEngine(error: unknown, { name, format }: Source): FileFault | undefined {
  if (!(error instanceof Error) || ours.test(error.message)) return undefined
  // It counts lines from two on, and only those that are not empty.
  const line = format === 'ndjson' ? /\bin line (\d+)/.exec(error.message)?.[1] : undefined
  const reason = /utf-?8|unicode|string encoding/i.test(error.message)
    ? 'holds text that is not valid UTF-8'
    : words[format]
  return { file: name, row: line === undefined ? null : Number(line) - 1, column: null, reason }
}
