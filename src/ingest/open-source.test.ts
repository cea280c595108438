import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
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
    'facts.csv: cannot be read: EIO',
  )
  const ours = new TypeError('undefined is not a function')
  await expect(failing(ours)).rejects.toBe(ours)
})
