import { describe, expect, it } from 'vitest'
import { EngineError } from '../engine/errors.ts'
import { openSource } from './open-source.ts'

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
