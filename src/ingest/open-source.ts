import { createReadStream, createWriteStream } from 'node:fs'
import { open, stat, symlink } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { addAbortSignal, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FileFormat } from './file-columns.ts'
import type { Findings, LoadedFile, LoadMode } from '../store/loads.ts'
import { explainError } from './explain-error.ts'
import { fetchAddress } from './fetch-address.ts'
import { findFiles, nameOf, type Input } from './find-files.ts'
import { fileFault, LoadRefused, UnreadableFile } from './load-refused.ts'
import { join as connect, Meter, unpack } from './unpack.ts'

/** A file that is ready to be read: on this disk, unpacked, with its checksum. */
export type Source = {
  /** The name for people. */
  readonly name: string
  readonly path: string
  readonly format: FileFormat
  readonly record: LoadedFile
  /** Rejects if the file has changed since its checksum was taken. */
  readonly checkUnchanged: () => Promise<void>
}

type Options = {
  /** Takes the files that cannot be read in place. */
  readonly folder: string
  readonly mode: LoadMode
  /** Allows the same file twice in a load that appends. */
  readonly mayRepeat: boolean
  readonly format: FileFormat | undefined
  readonly signal: AbortSignal
  /** Reports how many bytes have been read, and of how many if that is known. */
  readonly onBytes: (name: string, done: number, all: number | undefined) => void
}

/** Opens the files of a load one after the other. Those that cannot be used become faults. */
export async function openSources(
  operands: readonly string[],
  options: Options,
): Promise<readonly (Source | Findings)[]> {
  const files: (Source | Findings)[] = []
  for (const [index, input] of (await findFiles(operands)).entries()) {
    const name = nameOf(input)
    try {
      const source = await openSource(input, name, join(options.folder, `source-${index}`), options)
      const twin = files.find((file) => 'record' in file && file.record.checksum === source.record.checksum)
      const isRepeat = twin && 'record' in twin && options.mode === 'append' && !options.mayRepeat
      files.push(isRepeat ? fileFault(name, `has the same contents as ${twin.name}; omit it, or use --repeat`) : source)
    } catch (error) {
      options.signal.throwIfAborted()
      const fault = explainError(error, { name })
      if (!fault) throw error
      files.push(fault)
    }
  }
  return files
}

/**
 * Reads a file once to take its checksum, and writes it to disk if it is packed, piped or fetched. A plain file on this
 * machine stays where it is.
 */
async function openSource(input: Input, name: string, path: string, options: Options): Promise<Source> {
  const { signal } = options
  const { stream, bytes, inPlace } = await openInput(input, signal)
  // Without it, an interruption would wait for the next bytes, even from a keyboard.
  addAbortSignal(signal, stream)
  const meter = new Meter((done) => options.onBytes(name, done, bytes))
  const unpacked = await unpack(connect(stream, meter))
  const isRead = inPlace !== undefined && !unpacked.isPacked
  // A link, because DuckDB would interpret stars, endings and folders such as day=… in the file's own path.
  if (isRead) await symlink(inPlace.path, path)
  const target = isRead
    ? new Writable({ write: (_, _encoding, done) => done() })
    : createWriteStream(path, { mode: 0o600 })
  await pipeline(unpacked.stream, target, { signal })
  return {
    name,
    path,
    format: options.format ?? formatByName(name) ?? (await formatByContent(path)),
    record: { name, bytes: meter.bytes, checksum: meter.digest() },
    async checkUnchanged() {
      if (!inPlace) return
      const { path: original, stats: before } = inPlace
      const after = await stat(original)
      if (after.mtimeMs === before.mtimeMs && after.size === before.size && after.ino === before.ino) return
      throw new LoadRefused(fileFault(name, 'changed while it was being read'))
    },
  }
}

async function openInput(input: Input, signal: AbortSignal) {
  if (input.kind === 'stdin') return { stream: process.stdin, bytes: undefined, inPlace: undefined }
  if (input.kind === 'address') return { ...(await fetchAddress(input.address, signal)), inPlace: undefined }
  const path = resolve(input.path)
  // Before the stream is opened, whose errors nobody would handle during this await.
  const stats = await stat(path)
  // A named pipe has a path too, but can be read only once.
  const isPlain = stats.isFile()
  return {
    stream: createReadStream(path, { highWaterMark: 1024 * 1024 }),
    bytes: isPlain ? stats.size : undefined,
    inPlace: isPlain ? { path, stats } : undefined,
  }
}

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
  const head = (await readHead(path, 64 * 1024)).toString('latin1')
  if (head.startsWith('PAR1')) return 'parquet'
  return /^\s*\{/.test(head) ? 'ndjson' : 'csv'
}

/** Reads the first bytes of a file, which must not be empty. */
export async function readHead(path: string, bytes: number): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
  if (bytesRead === 0) throw new UnreadableFile('is empty')
  return buffer.subarray(0, bytesRead)
}
