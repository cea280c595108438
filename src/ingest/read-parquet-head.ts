import type { FileHandle } from 'node:fs/promises'
import { parquetMetadataAsync, parquetSchema, type FileMetaData, type SchemaElement } from 'hyparquet'
import { decimalInFile, type NumberInFile } from '../engine/compile-intake.ts'
import { UnreadableFile } from './load-refused.ts'
import type { FileHead } from './match-columns.ts'

/** What stands at the end of a Parquet file: its columns, and how many rows there are. */
export async function readParquetHead(
  file: FileHandle,
): Promise<{ readonly columns: FileHead['columns']; readonly rows: number }> {
  const { size: byteLength } = await file.stat()
  const slice = async (start: number, end = byteLength): Promise<ArrayBuffer> => {
    const { buffer, bytesRead } = await file.read(new Uint8Array(end - start), 0, end - start, start)
    return buffer.buffer.slice(0, bytesRead)
  }
  const metadata = await parquetMetadataAsync({ byteLength, slice }).catch(() => {
    throw new UnreadableFile('is not a whole Parquet file')
  })
  const gapped = findGapped(metadata)
  const columns = parquetSchema(metadata).children.map(({ element, children }) => ({
    name: element.name,
    isList: children.length > 0,
    number: element.repetition_type === 'REQUIRED' || !gapped.has(element.name) ? numberOf(element) : undefined,
  }))
  return { columns, rows: Number(metadata.num_rows) }
}

/** The columns in which values may be missing. */
const findGapped = ({ row_groups: groups }: FileMetaData): ReadonlySet<string | undefined> =>
  new Set(
    groups
      .flatMap(({ columns }) => columns)
      .filter(({ meta_data: about }) => about?.statistics?.null_count !== 0n)
      .map(({ meta_data: about }) => about?.path_in_schema[0]),
  )

function numberOf({
  type,
  converted_type: converted,
  logical_type: logical,
  ...element
}: SchemaElement): NumberInFile | undefined {
  const isDecimal = converted === 'DECIMAL' || logical?.type === 'DECIMAL'
  const { scale = 0, precision = 0 } = logical?.type === 'DECIMAL' ? logical : element
  const wholeDigitsMax = decimalInFile.precision - decimalInFile.scale
  if (isDecimal) return scale <= decimalInFile.scale && precision - scale <= wholeDigitsMax ? 'decimal' : undefined
  if (type !== 'INT32' && type !== 'INT64') return undefined
  if (logical?.type === 'INTEGER') return logical.isSigned ? 'signed' : 'unsigned'
  if (logical !== undefined) return undefined
  if (converted?.startsWith('UINT_')) return 'unsigned'
  return converted === undefined || converted.startsWith('INT_') ? 'signed' : undefined
}
