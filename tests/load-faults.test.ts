import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import type { Cube } from '../src/catalog/cube.ts'
import { listLoads } from '../src/ingest/list-loads.ts'
import { loadFacts, type LoadOptions } from '../src/ingest/load-facts.ts'
import { LoadRefused } from '../src/ingest/load-refused.ts'
import { findVisibleLoads } from '../src/store/loads.ts'
import { atEnd } from './setup/at-end.ts'
import { loadTestFile } from './setup/facts.ts'
import { now, openService } from './setup/service.ts'

const service = await openService()
const { store } = service
const folder = await mkdtemp(join(tmpdir(), 'adcube-faults-'))
atEnd(() => rm(folder, { recursive: true, force: true }))

const write = async (files: Readonly<Record<string, string | Uint8Array>>): Promise<string[]> => {
  const paths = Object.keys(files).map((name) => join(folder, name))
  await Promise.all(Object.values(files).map((content, index) => writeFile(paths[index]!, content)))
  return paths
}
const load = (cube: Cube, files: readonly string[], options: LoadOptions = {}) =>
  loadFacts({ ...service, now: () => now }, cube, files, options)
const loadText = (name: string, text: string | Buffer, options: LoadOptions = {}) =>
  loadTestFile(service, auctions, name, text, options)
const refusalOf = async (loading: Promise<unknown>): Promise<LoadRefused> => {
  const error = await loading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof LoadRefused) return error
  throw error ?? new Error('The load was not refused.')
}
/** Serves one content at a URL, and nothing else. */
const serveFiles = async (files: Readonly<Record<string, string | Uint8Array>>): Promise<string> => {
  const server = createServer(({ url = '' }, response) => {
    const content = files[url.replace(/[?].*/, '')]
    if (content === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-length': Buffer.byteLength(content) }).end(content)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const showRange = async (key: string) => (await service.get(key, '/v2/data?cube=auctions')).body
const visible = (account: string) =>
  findVisibleLoads(store, { cube: auctions.name, account, start: '2020-01-01', end: '2030-01-01' })

describe('a load', () => {
  it('with invalid rows is refused as a whole, with the first 20 faults by file, row and column, and the count of all', async () => {
    const { id, key } = await service.createAccount('faulty')
    const row = (fields: Readonly<Record<string, string>>): string =>
      Object.values({
        account: id,
        day: '2026-11-14',
        country: 'US',
        auctions: '9',
        cleared: '4',
        clicks: '1',
        net_revenue: '1.5',
        ...fields,
      }).join(',')
    const long = 'x'.repeat(1_000)
    const right = [
      { day: '2025-10-14' },
      { day: '2026-11-14T00:00:00Z' },
      { day: '2026-11-14 00:00:00.000' },
      { country: long, auctions: '10000000000000000', net_revenue: '-999999999999.999999' },
      { auctions: '7.0', cleared: '', clicks: '', net_revenue: '1e-7' },
    ]
    const wrong: (readonly [Readonly<Record<string, string>>, readonly string[]])[] = [
      [{ account: 'nobody' }, ['account: "nobody" is not an account']],
      [{ account: '' }, ['account: is missing']],
      [{ day: '' }, ['day: is missing']],
      [{ day: '2026-11-31' }, ['day: "2026-11-31" is not a day in the form yyyy-MM-DD']],
      [{ day: '14.11.2026' }, ['day: "14.11.2026" is not a day in the form yyyy-MM-DD']],
      [{ day: '2026-11-14 10:30:00' }, ['day: "2026-11-14 10:30:00" is not a day in the form yyyy-MM-DD']],
      [{ day: '2026-11-15' }, ['day: "2026-11-15" is in the future']],
      [{ day: '2025-10-13' }, ['day: "2025-10-13" is older than 13 months']],
      [{ auctions: '-9' }, ['auctions: "-9" is negative']],
      [{ auctions: '9.5' }, ['auctions: "9.5" is not a whole number']],
      [{ auctions: 'many' }, ['auctions: "many" is not a whole number']],
      [{ auctions: '10000000000000001' }, ['auctions: "10000000000000001" is too large']],
      [{ auctions: '99999999999999999999' }, ['auctions: "99999999999999999999" is too large']],
      [{ net_revenue: '"1,5"' }, ['net_revenue: "1,5" is not an amount']],
      [{ net_revenue: '-10000000000000' }, ['net_revenue: "-10000000000000" is too large']],
      [{ country: '\xff\xfe' }, ['country: is not valid UTF-8']],
      [{ country: `${long}x` }, [`country: "${'x'.repeat(60)}…" is longer than 1000 bytes`]],
      [{ clicks: '5' }, ['clicks: 5 is more than cleared, 4']],
      [
        { account: 'nobody', day: 'never' },
        ['account: "nobody" is not an account', 'day: "never" is not a day in the form yyyy-MM-DD'],
      ],
      ...Array.from({ length: 10 }, () => [{ auctions: 'x' }, []] as const),
    ]
    const text = [
      'account,day,country,auctions,cleared,clicks,net_revenue',
      ...right.map(row),
      ...wrong.map(([each]) => row(each)),
    ]
    // In latin1, so that the invalid UTF-8 of one row is written unchanged.
    const file = Buffer.from(`${text.join('\n')}\n`, 'latin1')
    const refusal = await refusalOf(loadText('faulty.csv', file, { isStrict: true }))
    const expected = wrong.flatMap(([, faults], index) =>
      faults.map((fault) => `faulty.csv, row ${right.length + index + 1}, ${fault}`),
    )
    expect(expected).toHaveLength(20)
    expect(refusal.message.replaceAll(/\S+\//g, '').split('\n')).toEqual([
      '30 faults; nothing was loaded.',
      ...expected.map((line) => `  ${line}`),
      '  and 10 more',
    ])
    expect({ count: refusal.count, shown: refusal.faults.length }).toEqual({ count: 30, shown: 20 })

    expect(await visible(id)).toEqual([])
    expect(await showRange(key)).toEqual([{ cube: auctions.name, start: null, end: null }])
    const record = (await listLoads(store, { limit: 100 })).find(({ failureReason }) =>
      failureReason?.includes('faulty.csv'),
    )
    expect(record).toMatchObject({ state: 'failed', failureReason: refusal.message, visibleDays: 0 })
  })

  it('numbers the rows of Parquet by their place in the file, over all row groups', async () => {
    const { id } = await service.createAccount('groups')
    const rows = 3_000
    const isWrong = (index: number): boolean => index % 149 === 148
    const columnData = [
      { name: 'account', data: Array.from({ length: rows }, () => id), type: 'STRING' as const },
      { name: 'day', data: Array.from({ length: rows }, () => '2026-11-14'), type: 'STRING' as const },
      {
        name: 'auctions',
        data: Array.from({ length: rows }, (_, index) => (isWrong(index) ? -index : index)),
        type: 'INT32' as const,
      },
    ]
    const content = new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 100 }))
    const files = await write({ 'groups.parquet': content })
    const refusal = await refusalOf(load(auctions, files))
    expect(refusal.faults.map(({ row, reason }) => `${row}: ${reason}`)).toEqual(
      Array.from({ length: rows }, (_, index) => index)
        .filter(isWrong)
        .map((index) => `${index + 1}: "-${index}" is negative`),
    )
  })

  it('has the same rules for typed numbers of Parquet as for text', async () => {
    const { id } = await service.createAccount('numbers')
    const whole = { type: 'INT64', repetition_type: 'OPTIONAL' } as const
    const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const
    const columns: (readonly [SchemaElement, unknown[]])[] = [
      [{ name: 'account', ...text }, [id, id, id]],
      [{ name: 'day', ...text }, ['2026-11-14', '2026-11-14', '2026-11-14']],
      [{ name: 'auctions', ...whole, converted_type: 'UINT_64' }, [1n, 20_000_000_000_000_000n, 3n]],
      [{ name: 'cleared', ...whole }, [1n, 1n, 1n]],
      [{ name: 'clicks', ...whole }, [2n, 1n, -1n]],
      [{ name: 'net_revenue', ...whole, converted_type: 'DECIMAL', precision: 18, scale: 2 }, [1.25, 1e13, -3]],
    ]
    const content = parquetWriteBuffer({
      schema: [{ name: 'root', num_children: columns.length }, ...columns.map(([element]) => element)],
      columnData: columns.map(([{ name }, data]) => ({ name, data })),
    })
    const files = await write({ 'numbers.parquet': new Uint8Array(content) })
    const refusal = await refusalOf(load(auctions, files, { isStrict: true }))
    expect(refusal.faults.map(({ row, column, reason }) => `${row}, ${column}: ${reason}`)).toEqual([
      '1, clicks: 2 is more than cleared, 1',
      '2, auctions: "20000000000000000" is too large',
      '2, net_revenue: "10000000000000.00" is too large',
      '3, clicks: "-1" is negative',
    ])
  })

  it('with unreadable files is refused as a whole, with the fault of each file and its place', async () => {
    const { id } = await service.createAccount('broken')
    const header = 'account,day,auctions\n'
    const line = `${id},2026-11-14,1\n`
    const json = `{"account":"${id}","day":"2026-11-14","auctions":1}\n`
    // Together more than the first look at a file reads.
    const long = 'x'.repeat(900)
    const longRows = 1_300
    const longJson = `{"account":"${id}","day":"2026-11-14","site":"${long}"}\n`
    const longLines = Array.from({ length: longRows }, (_, at) => `${id},2026-11-14,${at}${long}\n`).join('')
    const parquet = new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'account', data: Array.from({ length: 99 }, () => id), type: 'STRING' },
          { name: 'day', data: Array.from({ length: 99 }, () => '2026-11-14'), type: 'STRING' },
        ],
      }),
    )
    const damaged = Uint8Array.from(parquet).fill(0xff, 4, Math.floor(parquet.length / 3))
    const packed = gzipSync(`account,day,site\n${longLines}`)
    const faults: Readonly<Record<string, readonly [string | Uint8Array, string]>> = {
      'few.csv': [`${header}${line}${id},2026-11-14\n${line}`, ', row 2: has fewer fields than the header'],
      'many.csv': [`${header}${line}${line}${id},2026-11-14,1,2\n`, ', row 3: has more fields than the header'],
      'unknown.csv': [
        `account,day,auctons\n${line}`,
        ', auctons: unknown column of auctions. Did you mean "auctions"?',
      ],
      'broken.ndjson': [`${json}${json}{"account":"${id}","day\n`, ', row 3: is not valid JSON'],
      'late.ndjson': [
        `${longJson.repeat(longRows)}{"account":"${id}","day":"2026-11-14","auctons":1}\n`,
        ', row 1,301, auctons: unknown column of auctions. Did you mean "auctions"?',
      ],
      'twice.ndjson': [
        `${json}{"account":"${id}","day":"2026-11-14","auctions":1,"auctions":2}\n`,
        ', row 2, auctions: duplicate column',
      ],
      'list.ndjson': [
        `${json}{"account":"${id}","day":"2026-11-14","devices":"a"}\n`,
        ', row 2, devices: "a" is not a list',
      ],
      'nested.ndjson': [
        `${json}{"account":"${id}","day":"2026-11-14","country":["US"]}\n`,
        ', row 2, country: "[\\"US\\"]" is nested; expected a plain value',
      ],
      'cut.csv.gz': [packed.subarray(0, packed.length - 9), ': is truncated: the compressed file has no end'],
      'cut.parquet': [parquet.subarray(0, -1), ': is not a valid Parquet file'],
      'damaged.parquet': [damaged, ': is not a valid Parquet file'],
      'empty.csv': ['', ': is empty'],
    }
    const files = await write(Object.fromEntries(Object.entries(faults).map(([name, [content]]) => [name, content])))
    const refusal = await refusalOf(load(auctions, files))
    expect(refusal.message.replaceAll(`${folder}/`, '').split('\n').slice(1)).toEqual(
      Object.entries(faults).map(([name, [, fault]]) => `  ${name}${fault}`),
    )
    expect(refusal.count).toBe(Object.keys(faults).length)
    expect(await visible(id)).toEqual([])
  })

  it('reads URLs like files, and reports what is wrong with them', async () => {
    const { id, key } = await service.createAccount('addresses')
    const columnData = [
      { name: 'account', data: Array.from({ length: 99 }, () => id), type: 'STRING' as const },
      { name: 'day', data: Array.from({ length: 99 }, () => '2026-11-13'), type: 'STRING' as const },
      { name: 'auctions', data: Array.from({ length: 99 }, (_, index) => index), type: 'INT32' as const },
    ]
    const parquet = new Uint8Array(parquetWriteBuffer({ columnData }))
    const url = await serveFiles({
      '/facts.parquet': parquet,
      '/facts.csv.zst': zstdCompressSync(`account,day,auctions\n${id},2026-11-14,7\n`),
      '/faulty.csv': `account,day,auctions\n${id},2026-11-14,7\n${id},2026-11-14,-7\n`,
      '/cut.parquet': parquet.subarray(0, 500),
      '/open.csv': `account,day,site\n${id},2026-11-14,a\n${id},2026-11-14,"b\n${id},2026-11-14,c\n`,
      '/empty.csv': '',
    })
    await load(auctions, [`${url}/facts.parquet`, `${url}/facts.csv.zst`])
    const query = { start: '2026-11-13', end: '2026-11-14', dimensions: ['Day'], metrics: ['Auctions'] }
    const { body } = await service.ask(key, 'auctions', query)
    expect(body.data.map((row: object) => Object.values(row))).toEqual([
      ['2026-11-13', 99 * 49],
      ['2026-11-14', 7],
    ])

    const names = [
      'faulty.csv',
      'cut.parquet',
      'open.csv',
      'empty.csv?signature=planted',
      'missing.csv?signature=planted',
    ]
    const refusal = await refusalOf(
      load(auctions, [...names.map((name) => `${url}/${name}`), 'http://127.0.0.1:1/x?y=planted']),
    )
    expect(refusal.message).not.toContain('planted')
    expect(refusal.message.replaceAll(`${url}/`, '').split('\n').slice(1)).toEqual([
      '  faulty.csv, row 2, auctions: "-7" is negative',
      '  cut.parquet: is not a valid Parquet file',
      '  open.csv, row 2, site: has a quoted value that does not end, or text after one',
      '  empty.csv: is empty',
      '  missing.csv: cannot be fetched: the server answered 404',
      '  http://127.0.0.1:1/x: cannot be fetched: no answer',
    ])
  })
})
