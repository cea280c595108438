import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EngineError } from '../engine/errors.ts'
import { openSource, openStream } from './open-source.ts'

const away = (): never => {
  throw new EngineError('away')
}
const engine = { database: 'adcube', pid: undefined, reader: away, writer: away, close: async () => {} }
const open = (address: string) =>
  openSource({ kind: 'address', address }, { engine, signal: AbortSignal.timeout(1_000) })

describe('an address', () => {
  it('with zstd is refused before the engine reads it, because it would take a cut one for whole', async () => {
    await expect(open('https://files.example/facts.csv.zst?key=secret')).rejects.toThrow(
      'https://files.example/facts.csv.zst: zstd is not read from addresses',
    )
    await expect(open('https://files.example/facts.csv.gz')).rejects.toThrow(EngineError)
  })

  it('that does not tell its format asks for one', async () => {
    await expect(open('https://files.example/facts')).rejects.toThrow('--format')
  })
})

it('a file that vanished since it was found is an error like any other', async () => {
  const missing = openSource(
    { kind: 'file', path: '/nowhere/facts.csv' },
    { engine, signal: AbortSignal.timeout(1_000) },
  )
  await expect(missing).rejects.toMatchObject({ code: 'ENOENT' })
})

it('Parquet that comes by a pipe is read once, though the pipe has a name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-pipe-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'facts.parquet')
  await promisify(execFile)('mkfifo', [path])
  const columnData = [{ name: 'account', data: ['a', 'b'], type: 'STRING' as const }]
  const content = new Uint8Array(parquetWriteBuffer({ columnData }))
  const [source] = await Promise.all([
    openSource({ kind: 'file', path }, { engine, signal: AbortSignal.timeout(5_000) }),
    writeFile(path, content),
  ])
  expect(source).toMatchObject({ format: 'Parquet', rows: 2, head: { columns: [{ name: 'account', isList: false }] } })
  if ('address' in source.content) throw new Error('no stream')
  expect(await buffer(source.content)).toEqual(Buffer.from(content))
  expect(source.describe().bytes).toBe(content.length)
})

it('whoever waits for the first bytes can be told to stop', async () => {
  const stop = new AbortController()
  const silent = new Readable({ read() {} })
  const opening = openStream(silent, { name: 'standard input' }, { engine, signal: stop.signal })
  stop.abort(new Error('Interrupted.'))
  await expect(opening).rejects.toThrow('Interrupted.')
  expect(silent.destroyed).toBe(true)
})

it('a file is blamed for what is wrong with it, and not for a fault of ours', async () => {
  const failing = (error: Error) => {
    const stream = new Readable({ read: () => stream.destroy(error) })
    return openStream(stream, { name: 'facts.csv' }, { engine, signal: AbortSignal.timeout(1_000) })
  }
  await expect(failing(Object.assign(new Error('bad disk'), { code: 'EIO' }))).rejects.toThrow(
    'facts.csv: cannot be read: the disk has an error',
  )
  const ours = new TypeError('undefined is not a function')
  await expect(failing(ours)).rejects.toBe(ours)
})
