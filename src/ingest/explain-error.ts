import type { FileFormat } from './file-columns.ts'
import type { Findings } from '../store/loads.ts'
import { fileFault, UnreadableFile } from './load-refused.ts'

/** Errors of DuckDB that no file causes. */
const engineErrors = /^(?:Out of Memory|INTERRUPT|INTERNAL|FATAL|Binder|Parser|Catalog|Permission) Error/

const formatReasons: Record<FileFormat, string> = {
  csv: 'cannot be read as CSV',
  ndjson: 'is not valid JSON',
  parquet: 'is not a valid Parquet file',
}

const codeReasons: Readonly<Record<string, string>> = {
  Z_BUF_ERROR: 'is truncated: the compressed file has no end',
  ENOENT: 'does not exist',
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  EISDIR: 'is a folder',
  EIO: 'cannot be read: the disk has an error',
  UND_ERR_SOCKET: 'is truncated: the connection was lost',
  UND_ERR_BODY_TIMEOUT: 'paused for too long',
}

/** Describes an error of reading a file as a fault of the file; undefined if the file did not cause it. */
export function explainError(
  error: unknown,
  { name, format }: { readonly name: string; readonly format?: FileFormat },
): Findings | undefined {
  const readReason = explainRead(error)
  if (readReason !== undefined) return fileFault(name, readReason)
  if (!format || !(error instanceof Error) || engineErrors.test(error.message)) return undefined
  // DuckDB counts the lines that are not empty, starting with two.
  const line = format === 'ndjson' ? /\bin line (\d+)/.exec(error.message)?.[1] : undefined
  const isEncoding = /utf-?8|unicode|string encoding/i.test(error.message)
  const reason = isEncoding ? 'holds text that is not valid UTF-8' : formatReasons[format]
  return { count: 1, first: [{ file: name, row: line === undefined ? null : Number(line) - 1, column: null, reason }] }
}

function explainRead(error: unknown): string | undefined {
  if (error instanceof UnreadableFile) return error.message
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  if (codeReasons[code]) return codeReasons[code]
  if (code.startsWith('Z_') || code.startsWith('ZSTD_')) return 'is damaged: it cannot be unpacked'
  // An error of fetch has its reason in its cause.
  return error.cause === undefined ? undefined : explainRead(error.cause)
}
