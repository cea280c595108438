import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { readRows, writeCsv } from '../../src/facts/clickhouse/read-facts.ts'
import { Server } from '../../src/facts/clickhouse/server.ts'
import type { Statement } from '../../src/facts/compile.ts'
import { atEnd } from '../setup/at-end.ts'
import { openFactsAt, ownDatabase } from './own-database.ts'

const addresses = ownDatabase()
await openFactsAt(addresses)
const server = new Server(addresses)
atEnd(() => server.close())

const statement = (sql: string): Statement => ({ sql, params: {} })
const endless = statement('SELECT sum(sipHash64(number)) AS x FROM numbers(1000000000000000)')
const hungry = statement('SELECT length(groupArray(number)) AS x FROM numbers(1000000000000000)')
const never = new AbortController().signal

const isRunning = async (id: string): Promise<boolean> => {
  const sql = 'SELECT 1 FROM system.processes WHERE startsWith(query_id, {id:String})'
  return (await server.ask({ sql, params: { id } })).length > 0
}
const expectRunning = (id: string, expected: boolean) =>
  vi.waitFor(async () => expect(await isRunning(id)).toBe(expected), { timeout: 60_000, interval: 50 })

const read = (what: Statement, options: Partial<Parameters<typeof readRows>[2]> = {}) =>
  readRows(server, what, { id: randomUUID(), limit: 10, msMax: 100_000, memoryMb: 1_024, signal: never, ...options })

describe('a query', () => {
  it('that runs out of its time ends with that reason, in the server too', async () => {
    const id = randomUUID()
    await expect(read(endless, { id, msMax: 1_000 })).rejects.toMatchObject({ trouble: 'timeout' })
    await expectRunning(id, false)
  })

  it('that exceeds its memory limit is refused as busy', async () => {
    await expect(read(hungry, { memoryMb: 50 })).rejects.toMatchObject({ trouble: 'busy' })
  })

  it('whose caller is gone is cancelled in the server', async () => {
    const id = randomUUID()
    const controller = new AbortController()
    const refused = expect(read(endless, { id, signal: controller.signal })).rejects.toMatchObject({
      trouble: 'cancelled',
    })
    await expectRunning(id, true)
    controller.abort()
    await refused
    await expectRunning(id, false)
  })

  it('can have megabytes of values', async () => {
    const values = Array.from({ length: 3_000 }, (_, index) => `${index}'\\\n${'é'.repeat(900)}`)
    const sql = 'SELECT count() AS n FROM numbers(1) WHERE {value:String} IN {values:Array(String)}'
    const { json } = await read({ sql, params: { values, value: values.at(-1) } })
    expect(json.toString()).toBe('{"n":1}')
  })
})

describe('an export', () => {
  const write = (what: Statement, options: { id?: string; msMax?: number; signal?: AbortSignal } = {}) => {
    const target = new Writable({ write: (_chunk, _encoding, done) => done() })
    const shares: number[] = []
    const made = writeCsv(server, what, target, {
      id: randomUUID(),
      msMax: 100_000,
      memoryMb: 1_024,
      signal: never,
      onProgress: (share) => shares.push(share),
      ...options,
    })
    return { made, target, shares }
  }

  it('that is interrupted in the middle fails', async () => {
    const breaks = statement(
      "SELECT number, throwIf(number = 3000000, 'broken') AS x FROM numbers(10000000) SETTINGS max_block_size = 1000",
    )
    const { made, target } = write(breaks)
    await expect(made).rejects.toMatchObject({ trouble: 'away' })
    expect(target.writableFinished).toBe(false)
  })

  it('that runs out of its time ends with that reason, in the server too', async () => {
    const id = randomUUID()
    await expect(write(endless, { id, msMax: 1_000 }).made).rejects.toMatchObject({ trouble: 'timeout' })
    await expectRunning(id, false)
  })

  it('that is cancelled is cancelled in the server, before its first row and after', async () => {
    for (const what of [endless, statement('SELECT number FROM numbers(1000000000000000)')]) {
      const id = randomUUID()
      const controller = new AbortController()
      const refused = expect(write(what, { id, signal: controller.signal }).made).rejects.toMatchObject({
        trouble: 'cancelled',
      })
      await expectRunning(id, true)
      controller.abort()
      await refused
      await expectRunning(id, false)
    }
  })

  it('reports its progress, which never decreases and never reaches 1', async () => {
    const controller = new AbortController()
    const { made, shares } = write(statement('SELECT max(sipHash64(number)) AS x FROM numbers(5000000000)'), {
      signal: controller.signal,
    })
    const ended = expect(made).rejects.toMatchObject({ trouble: 'cancelled' })
    await vi.waitFor(() => expect(shares.length).toBeGreaterThan(1), { timeout: 100_000, interval: 50 })
    controller.abort()
    await ended
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares.every((share) => share > 0 && share <= 0.99)).toBe(true)
  })
})
