import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm, stat, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join as joinPath } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import type { FileFormat } from '../engine/compile-intake.ts'
import { describeAddress, measureAddress } from '../engine/intake.ts'
import type { Engine } from '../engine/engine.ts'
import type { LoadedFile } from '../store/loads.ts'
import { nameOf, type Place } from './find-files.ts'
import { fileFault, LoadRefused, UnreadableFile } from './load-refused.ts'
import type { FileHead } from './match-columns.ts'
import { peek, readCsvHeader, readJsonNames } from './read-head.ts'
import { readParquetHead } from './read-parquet-head.ts'
import { ClosedQuotes, join, Meter, openQuote, packingOf, unpack } from './unpack.ts'

/** A file that is ready to be read, once. */
export type Source = {
  readonly name: string
  readonly format: FileFormat
  readonly head: FileHead
  /** How much there is to read, where that is known. */
  readonly bytes: number | undefined
  readonly rows: number | undefined
  readonly content: Readable | { readonly address: string }
  /** How much of it has been read. */
  bytesRead(): number
  /** For the record, once it has been read. */
  describe(): LoadedFile
  /** Lets go of it, read or not. */
  close(): void
}

type Options = {
  readonly engine: Engine
  readonly format?: FileFormat | undefined
  readonly signal: AbortSignal
}

/** Enough for any header, and for many rows of JSON. */
const headBytes = 1024 * 1024

export async function openSource(place: Place, options: Options): Promise<Source> {
  const name = nameOf(place)
  if (place.kind === 'address') return openAddress(place.address, name, options)
  if (place.kind === 'input') return openStream(process.stdin, { name }, options)
  const { path } = place
  // Before it is opened: nobody would hear the stream's own error while this is awaited.
  const stats = await stat(path)
  // A pipe has a path as well, but can be read only once.
  return openStream(createReadStream(path), stats.isFile() ? { name, path, bytes: stats.size } : { name }, options)
}

/** Opens what is being made while it is read. */
export async function openStream(
  stream: Readable,
  {
    name,
    path,
    bytes,
  }: { readonly name: string; readonly path?: string | undefined; readonly bytes?: number | undefined },
  options: Options,
): Promise<Source> {
  const refuse = (reason: string): LoadRefused => new LoadRefused([fileFault(name, reason)])
  // Whoever is told to stop may be waiting for the next bytes, from a keyboard even.
  addAbortSignal(options.signal, stream)
  const close = (content: Readable) => (): void => {
    content.destroy()
    stream.destroy()
  }
  try {
    const meter = new Meter()
    const packed = await peek(join(stream, meter), 4)
    const packing = packingOf(packed.head)
    const { head, stream: unpacked } = await peek(unpack(packed.stream, packing), headBytes)
    if (head.length === 0) throw refuse('is empty')
    const isAll = head.length < headBytes
    const format = options.format ?? formatOf(name, head)
    const common = { name, format, bytes, rows: undefined, bytesRead: () => meter.bytes }
    const describe = (): LoadedFile => ({ name, bytes: meter.bytes, checksum: meter.digest() })
    switch (format) {
      case 'CSVWithNames': {
        const header = readCsvHeader(head, isAll)
        if (!header) throw refuse('its header does not end')
        const content = join(unpacked, new ClosedQuotes())
        const columns = header.map((column) => ({ name: column, isList: false }))
        return { ...common, head: { columns, isOpen: false }, content, describe, close: close(content) }
      }
      case 'JSONEachRow': {
        const columns = readJsonNames(head, isAll).map((column) => ({
          name: column,
          isList: /^devices$/i.test(column),
        }))
        return { ...common, head: { columns, isOpen: true }, content: unpacked, describe, close: close(unpacked) }
      }
      case 'Parquet': {
        // Its columns stand at its end.
        const isPlain = packing === 'none' && path !== undefined
        const file = isPlain ? await open(path) : await spool(unpacked, options)
        try {
          const { columns, rows } = await readParquetHead(file)
          const content = isPlain ? unpacked : file.createReadStream({ start: 0 })
          if (isPlain) await file.close()
          return { ...common, rows, head: { columns, isOpen: false }, content, describe, close: close(content) }
        } catch (error) {
          await file.close()
          throw error
        }
      }
    }
  } catch (error) {
    stream.destroy()
    options.signal.throwIfAborted()
    const reason = explainRead(error)
    throw reason === undefined ? error : refuse(reason)
  }
}

/** Why a file could not be read, in a few words; undefined where it is not to blame. */
export function explainRead(error: unknown): string | undefined {
  if (error instanceof UnreadableFile) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'Z_BUF_ERROR') return 'is cut short: the packed file has no end'
  if (code.startsWith('Z_') || code.startsWith('ZSTD_')) return 'is damaged: it cannot be unpacked'
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read'
  if (code === 'EISDIR') return 'is a folder'
  return code === 'EIO' ? 'cannot be read: the disk has an error' : undefined
}

async function openAddress(address: string, name: string, { engine, format, signal }: Options): Promise<Source> {
  const path = URL.parse(address)?.pathname ?? ''
  const refuse = (reason: string): LoadRefused => new LoadRefused([fileFault(name, reason)])
  // The engine takes a zstd stream that was cut for a whole one.
  if (/\.zstd?$/i.test(path)) throw refuse('zstd is not read from addresses; fetch it, and load - or the file')
  const known = format ?? formatByName(path)
  if (!known) throw refuse('say what it is with --format parquet, csv or ndjson')
  const columns = await describeAddress(engine, { address, format: known }, signal)
  const { bytes, checksum, isQuoteOpen } = await measureAddress(engine, address, signal)
  if (known === 'CSVWithNames' && isQuoteOpen) throw refuse(openQuote)
  return {
    name,
    format: known,
    head: { columns, isOpen: known === 'JSONEachRow' },
    bytes: undefined,
    rows: undefined,
    content: { address },
    bytesRead: () => 0,
    describe: () => ({ name, bytes, checksum }),
    close: () => {},
  }
}

const formatsByEnding: readonly (readonly [RegExp, FileFormat])[] = [
  [/\.parquet$/i, 'Parquet'],
  [/\.csv$/i, 'CSVWithNames'],
  [/\.(?:ndjson|jsonl|json)$/i, 'JSONEachRow'],
]

function formatByName(name: string): FileFormat | undefined {
  const plain = basename(name).replace(/\.(?:gz|gzip|zst|zstd)$/i, '')
  return formatsByEnding.find(([ending]) => ending.test(plain))?.[1]
}

/** By its name or else by how it begins. */
function formatOf(name: string, head: Buffer): FileFormat {
  const named = formatByName(name)
  if (named) return named
  if (head.subarray(0, 4).toString('latin1') === 'PAR1') return 'Parquet'
  return /^\s*\{/.test(head.subarray(0, 1024).toString('latin1')) ? 'JSONEachRow' : 'CSVWithNames'
}

/** Keeps what cannot be read in one go in a file without a name, which is gone with whoever reads it, killed or not. */
async function spool(stream: Readable, { signal }: Options): Promise<FileHandle> {
  const folder = await mkdtemp(joinPath(tmpdir(), 'adcube-load-'))
  const file = await open(joinPath(folder, 'spooled'), 'wx+', 0o600).finally(() => rm(folder, { recursive: true }))
  try {
    await file.writeFile(stream, { signal })
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
