import { createReadStream, createWriteStream } from 'node:fs'
import { open, stat, symlink } from 'node:fs/promises'
import { basename, join as joinPath, resolve } from 'node:path'
import { addAbortSignal, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fetchAddress } from './fetch-address.ts'
import { nameOf, type Place } from './find-files.ts'
import { fileFault, LoadRefused, UnreadableFile } from './load-refused.ts'
import { peek } from './read-head.ts'
import type { FileFormat, Source } from './source.ts'
import { join, Meter, packingOf, unpack } from './unpack.ts'

type Options = {
  /** Where to put what cannot be read in place, under a name that begins so. */
  readonly spool: string
  readonly format: FileFormat | undefined
  readonly signal: AbortSignal
  /** Told how many bytes have been read, and of how many where that is known. */
  readonly onBytes: (done: number, all: number | undefined) => void
}

/** For whatever is sniffed at the beginning of a file. */
const headBytes = 64 * 1024

/**
 * Reads a file once, from its beginning to its end: its checksum is taken, and what is packed, piped or fetched is
 * written to disk as the engine wants it. A plain file on this machine stays where it is.
 */
export async function openSource(place: Place, options: Options): Promise<Source> {
  const name = nameOf(place)
  const { signal } = options
  const { stream, bytes, inPlace } = await openPlace(place, signal)
  // Who is told to stop may be waiting for the next bytes, from a keyboard even.
  addAbortSignal(signal, stream)
  const meter = new Meter((done) => options.onBytes(done, bytes))
  const packed = await peek(join(stream, meter), 4)
  const packing = packingOf(packed.head)
  const isInPlace = inPlace !== undefined && packing === 'none'
  // By a name of ours: the engine would read stars, endings and folders such as day=… in the file's own name as meant for it.
  const path = options.spool
  if (isInPlace) await symlink(inPlace.path, path)
  const target = isInPlace ? nowhere() : createWriteStream(path, { mode: 0o600 })
  await pipeline(unpack(packed.stream, packing), target, { signal })
  const format = options.format ?? formatByName(name) ?? (await formatByContent(path))
  return {
    name,
    path,
    format,
    record: { name, bytes: meter.bytes, checksum: meter.digest() },
    async checkUnchanged() {
      if (!inPlace) return
      const { path: original, stats: before } = inPlace
      const after = await stat(original)
      if (after.mtimeMs === before.mtimeMs && after.size === before.size && after.ino === before.ino) return
      throw new LoadRefused([fileFault(name, 'changed while it was being read')])
    },
  }
}

async function openPlace(place: Place, signal: AbortSignal) {
  if (place.kind === 'input') return { stream: process.stdin, bytes: undefined, inPlace: undefined }
  if (place.kind === 'address') return { ...(await fetchAddress(place.address, signal)), inPlace: undefined }
  const path = resolve(place.path)
  // Before it is opened: nobody would hear the stream's own error while this is awaited.
  const stats = await stat(path)
  // A pipe has a path as well, but can be read only once.
  const isPlain = stats.isFile()
  return {
    stream: createReadStream(path, { highWaterMark: 1024 * 1024 }),
    bytes: isPlain ? stats.size : undefined,
    inPlace: isPlain ? { path, stats } : undefined,
  }
}

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

const formatsByEnding: readonly (readonly [RegExp, FileFormat])[] = [
  [/\.parquet$/i, 'parquet'],
  [/\.csv$/i, 'csv'],
  [/\.(?:ndjson|jsonl|json)$/i, 'ndjson'],
]

function formatByName(name: string): FileFormat | undefined {
  const plain = basename(name).replace(/\.(?:gz|gzip|zst|zstd)$/i, '')
  return formatsByEnding.find(([ending]) => ending.test(plain))?.[1]
}

async function formatByContent(path: string): Promise<FileFormat> {
  const head = (await readHead(path)).toString('latin1')
  if (head.startsWith('PAR1')) return 'parquet'
  return /^\s*\{/.test(head) ? 'ndjson' : 'csv'
}

/** The first bytes of a file, of which there must be some. */
export async function readHead(path: string, bytes = headBytes): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
  if (bytesRead === 0) throw new UnreadableFile('is empty')
  return buffer.subarray(0, bytesRead)
}

export const spoolFile = (folder: string, index: number): string => joinPath(folder, `source-${index}`)
