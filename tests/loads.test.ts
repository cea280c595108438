import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import type { Cube } from '../src/catalog/cube.ts'
import { platformPerformance } from '../src/catalog/platform-performance.ts'
import { loadFacts, type LoadOptions } from '../src/ingest/load-facts.ts'
import { LoadRefused } from '../src/ingest/load-refused.ts'
import { sweepFacts } from '../src/ingest/sweep-facts.ts'
import { beginLoad, failLoad, findVisibleLoads, listLoads, type LoadMode } from '../src/store/loads.ts'
import { publishLoad } from '../src/store/publish-load.ts'
import { listUnsweptLoads } from '../src/store/stale-loads.ts'
import { atEnd } from './setup/at-end.ts'
import { toCsv, toNdjson, toParquet } from './setup/fact-files.ts'
import { makeFacts } from './setup/facts.ts'
import { isEmulated } from './setup/is-emulated.ts'
import { answerNaively } from './setup/naive.ts'
import { now, openService } from './setup/service.ts'

const service = await openService()
const { engine, store } = service
const folder = await mkdtemp(join(tmpdir(), 'adcube-loads-'))
atEnd(() => rm(folder, { recursive: true, force: true }))

const write = async (files: Readonly<Record<string, string | Uint8Array>>): Promise<string[]> => {
  const paths = Object.keys(files).map((name) => join(folder, name))
  await Promise.all(Object.values(files).map((content, index) => writeFile(paths[index]!, content)))
  return paths
}
const load = (cube: Cube, files: readonly string[], options: LoadOptions = {}) =>
  loadFacts({ engine, store, now: () => now }, cube, files, options)
const loadText = (name: string, text: string | Buffer, options: LoadOptions = {}) =>
  loadFacts({ engine, store, now: () => now }, auctions, { name, stream: Readable.from([text]) }, options)
const refusalOf = async (loading: Promise<unknown>): Promise<LoadRefused> => {
  const error = await loading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof LoadRefused) return error
  throw error ?? new Error('The load was not refused.')
}
const read = async <Row>(query: string, params: Record<string, unknown> = {}): Promise<Row[]> => {
  const result = await engine.writer().query({
    query,
    query_params: params,
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0, output_format_json_quote_decimals: 1 },
  })
  return result.json<Row>()
}
/** What there is under an address of its own, and nothing else. */
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
const visible = (account: string, cube = auctions) =>
  findVisibleLoads(store, { cube: cube.name, account, start: '2020-01-01', end: '2030-01-01' })

it(
  'leaves nothing behind: what failed, was replaced or is too old is swept, and nothing else',
  { timeout: 1_800_000 },
  async () => {
    const [first, second, third] = await Promise.all(['a', 'b', 'c'].map((name) => service.createAccount(name)))
    const accounts = [first!.id, second!.id, third!.id]
    const cube = platformPerformance
    // Of no other test: a day is rewritten when facts leave it.
    const day = '2026-10-20'
    const oldDay = '2025-09-01'
    const minutesAgo = (minutes: number): number => now - minutes * 60_000
    const begin = (at: number) => beginLoad(store, { cube: cube.name, now: at })
    const publish = (id: number, owners: readonly string[], at: number, onDay = day) =>
      publishLoad(store, {
        id,
        cube: cube.name,
        days: owners.map((account) => ({ account, day: onDay })),
        rows: 1,
        now: at,
      })
    const [a, b, c] = accounts as [string, string, string]
    const shared = await begin(minutesAgo(90))
    await publish(shared, [a, b, c], minutesAgo(90))
    const newer = await begin(minutesAgo(20))
    await publish(newer, [a], minutesAgo(20))
    const newest = await begin(minutesAgo(10))
    await publish(newest, [b], minutesAgo(10))
    const old = await begin(minutesAgo(90))
    await publish(old, [a], minutesAgo(90), oldDay)
    const failed = await begin(minutesAgo(90))
    await failLoad(store, { id: failed, now: minutesAgo(90) })
    const silent = await begin(minutesAgo(2))
    const alive = await begin(now)
    const loads = [shared, newer, newest, old, failed, silent, alive]

    await engine.writer().insert({
      table: 'platform_performance_facts',
      values: [
        ...accounts.map((account) => ({ account, day, load: shared })),
        { account: a, day, load: newer },
        { account: b, day, load: newest },
        { account: a, day: oldDay, load: old },
        ...[failed, silent, alive].map((load) => ({ account: a, day, load })),
      ],
      format: 'JSONEachRow',
    })
    await engine.writer().insert({
      table: 'load_faults',
      values: loads.map((load) => ({ load, file: 0, kind: 'fault', count: 1, first: [] })),
      format: 'JSONEachRow',
    })

    await sweepFacts({ engine, store, log: pino({ level: 'silent' }), now: () => now })

    const left = await read<{ load: number; account: string }>(
      `SELECT load, account FROM platform_performance_facts WHERE load IN {loads:Array(UInt64)} UNION ALL
      SELECT load, 'faults' FROM load_faults WHERE load IN {loads:Array(UInt64)}`,
      { loads },
    )
    expect(left.map(({ load, account }) => `${load} ${account}`).toSorted()).toEqual(
      [
        // Replaced a moment ago: a query that names it may be on its way.
        `${shared} ${b}`,
        `${shared} ${c}`,
        `${newer} ${a}`,
        `${newest} ${b}`,
        `${alive} ${a}`,
        ...[shared, newer, newest, old, alive].map((load) => `${load} faults`),
      ].toSorted(),
    )
    expect(await Promise.all(accounts.map((account) => visible(account, cube)))).toEqual([
      [{ day, load: newer }],
      [{ day, load: newest }],
      [{ day, load: shared }],
    ])
    expect(await listUnsweptLoads(store, cube.name)).not.toEqual(expect.arrayContaining([failed]))
    expect(await listUnsweptLoads(store, cube.name)).not.toEqual(expect.arrayContaining([silent]))
  },
)

it('takes nothing for its own that the engine holds under its number, as it does after control data came back from a backup', async () => {
  const { id: account } = await service.createAccount('restored')
  const day = '2026-10-21'
  const before = await beginLoad(store, { cube: auctions.name, now })
  await failLoad(store, { id: before, now })
  const next = before + 1
  const lost = { account, day, load: next, auctions: 7 }
  await engine.writer().insert({ table: 'auctions_facts', values: [lost], format: 'JSONEachRow' })
  const fault = { load: next, file: 0, kind: 'fault', count: 1, first: [] }
  await engine.writer().insert({ table: 'load_faults', values: [fault], format: 'JSONEachRow' })

  const loaded = await loadText('restored.csv', `account,day,auctions\n${account},${day},3\n`)
  expect(loaded).toMatchObject({ id: next, rows: 1 })
  expect(await read('SELECT auctions FROM auctions_facts WHERE load = {next:UInt64}', { next })).toEqual([
    { auctions: 3 },
  ])
})

// Side by side, because they wait for the engine most of the time.
describe.concurrent('a load', () => {
  it(
    'brings the same facts from CSV, NDJSON and Parquet, packed or not, to the digit',
    { timeout: 1_800_000 },
    async () => {
      const facts = makeFacts(auctions, { count: 60, days: 3, seed: 5 })
      const accounts = await Promise.all(['csv', 'ndjson', 'parquet'].map((name) => service.createAccount(name)))
      const [csv, ndjson, parquet] = accounts.map(({ id }) => id) as [string, string, string]
      const files = await write({
        'auctions.csv.gz': gzipSync(`\uFEFF${toCsv(auctions, csv, facts).replaceAll('"\n', '"\r\n')}`),
        'auctions.ndjson.zst': zstdCompressSync(toNdjson(auctions, ndjson, facts)),
        'auctions.parquet': toParquet(auctions, parquet, facts, { money: 'double' }),
      })
      const loaded = await load(auctions, files, { loadedBy: 'somebody' })
      expect(loaded).toMatchObject({ rows: 180, accounts: 3, days: 3, firstDay: '2026-11-12', lastDay: '2026-11-14' })

      // Every column of every fact.
      const columns = [...auctions.dimensions, ...auctions.measures].map(({ column }) => column)
      const stored = await read<Record<string, unknown>>(
        `SELECT account, ${columns.join(', ')}, finalizeAggregation(devices) AS uniques,
        hex(devices) AS sketch FROM auctions_facts
        WHERE load = {load:UInt64}`,
        { load: loaded.id },
      )
      const lines = (account: string) =>
        stored
          .filter((row) => row.account === account)
          .map((row) => Object.fromEntries([...columns, 'uniques'].map((name) => [name, row[name]])))
      const expected = facts.map(({ day, dimensions, measures, devices }) => ({
        ...Object.fromEntries(
          auctions.dimensions.map(({ name, column, type }) => [column, type === 'date' ? day : dimensions[name]]),
        ),
        ...Object.fromEntries(
          auctions.measures.map(({ column, type }) => [
            column,
            type === 'money' ? Number(measures[column]) / 1e6 : Number(measures[column]),
          ]),
        ),
        uniques: new Set(devices).size,
      }))
      const money = auctions.measures.filter(({ type }) => type === 'money').map(({ column }) => column)
      const sorted = (rows: readonly Record<string, unknown>[]) => rows.map((row) => JSON.stringify(row)).toSorted()
      for (const { id } of accounts) {
        const numbered = lines(id).map((row) => ({
          ...row,
          ...Object.fromEntries(money.map((column) => [column, Number(row[column])])),
        }))
        expect(sorted(numbered)).toEqual(sorted(expected))
      }

      const query = {
        start: '2026-11-12',
        end: '2026-11-14',
        dimensions: ['Country', 'Day'],
        metrics: ['Auctions', 'Net Revenue', 'Bid Avg', 'Uniques', 'CTR'],
        filters: [],
        sort: [{ field: 'Net Revenue', order: 'desc' }],
        limit: 1000,
      }
      const answers = await Promise.all(accounts.map(({ key }) => service.ask(key, 'auctions', query)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(answers[1]!.body.data).toEqual(answers[0]!.body.data)
      expect(answers[2]!.body.data).toEqual(answers[0]!.body.data)
      const naive = answerNaively(facts, query)
      expect(answers[0]!.body.data.map((row: any) => [row.Country, row.Day, row['Net Revenue']])).toEqual(
        naive.map((row) => [row.Country, row.Day, row['Net Revenue']]),
      )

      // Names of devices are hashed on their way in; nothing that is stored holds them.
      const everything = JSON.stringify(stored)
      expect(everything).toContain('DROP TABLE auctions_facts')
      expect(everything).not.toContain('device-')
      expect(everything).not.toContain(Buffer.from('device-').toString('hex').toUpperCase())

      const [record] = await listLoads(store, { before: loaded.id + 1, limit: 1 })
      expect(record).toMatchObject({ state: 'visible', loadedBy: 'somebody', rows: 180, accounts: 3 })
      expect(record!.files).toEqual(
        files.map((name) => ({ name, bytes: expect.any(Number), checksum: expect.stringMatching(/^[0-9a-f]{64}$/) })),
      )
    },
  )

  it(
    'brings the other cube what tells devices that asked, saw and clicked, from files that say not what they are',
    { timeout: 1_800_000 },
    async () => {
      const cube = platformPerformance
      const facts = makeFacts(cube, { count: 40, days: 2, seed: 6 })
      const accounts = await Promise.all(['ndjson', 'parquet'].map((name) => service.createAccount(name)))
      const [ndjson, parquet] = accounts.map(({ id }) => id) as [string, string]
      const files = await write({
        'platform-1': toNdjson(cube, ndjson, facts),
        'platform-2': gzipSync(toParquet(cube, parquet, facts, { money: 'decimal' })),
      })
      await load(cube, files)
      const query = {
        start: '2026-11-13',
        end: '2026-11-14',
        dimensions: ['OS'],
        metrics: ['Adserver Revenue', 'NR eCPM', 'Req DAU', 'Imp DAU', 'Clk DAU'],
        filters: [],
        sort: [],
        limit: 1000,
      }
      const answers = await Promise.all(accounts.map(({ key }) => service.ask(key, cube.alias, query)))
      const naive = answerNaively(facts, query)
      for (const { body } of answers) expect(body.data).toEqual(naive)
    },
  )

  it(
    'with faulty rows is refused whole: each fault by file, row and column, the first 20 and the count of all',
    { timeout: 1_800_000 },
    async () => {
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
        [{ account: 'nobody' }, ['account: "nobody" is no account here']],
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
        [{ country: `${long}x` }, ['country: is longer than 1000 bytes']],
        [{ clicks: '5' }, ['clicks: 5 is more than cleared, 4']],
        [
          { account: 'nobody', day: 'never' },
          ['account: "nobody" is no account here', 'day: "never" is not a day in the form yyyy-MM-DD'],
        ],
        ...Array.from({ length: 10 }, () => [{ auctions: 'x' }, []] as const),
      ]
      const text = [
        'account,day,country,auctions,cleared,clicks,net_revenue',
        ...right.map(row),
        ...wrong.map(([each]) => row(each)),
      ]
      // In latin1, so that the bytes of the one row that is not UTF-8 go through as they are.
      const file = Buffer.from(`${text.join('\n')}\n`, 'latin1')
      const refusal = await refusalOf(loadText('faulty.csv', file, { isStrict: true }))
      const expected = wrong.flatMap(([, faults], index) =>
        faults.map((fault) => `faulty.csv, row ${right.length + index + 1}, ${fault}`),
      )
      expect(expected).toHaveLength(20)
      expect(refusal.message.split('\n')).toEqual([
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
    },
  )

  it('names the rows of Parquet by their place in the file, however many groups they are in', async () => {
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

  it('judges the numbers of Parquet that it reads as what they are like those that it reads as text', async () => {
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
      '2, net_revenue: "10000000000000" is too large',
      '3, clicks: "-1" is negative',
    ])
  })

  it(
    'of files that cannot be read to the end is refused whole, and says of each what is wrong and where',
    { timeout: 1_800_000 },
    async () => {
      const { id } = await service.createAccount('broken')
      const header = 'account,day,auctions\n'
      const line = `${id},2026-11-14,1\n`
      const json = `{"account":"${id}","day":"2026-11-14","auctions":1}\n`
      // Together more than is looked at before the engine reads.
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
          ': "auctons" is no column of auctions. Did you mean "auctions"?',
        ],
        'broken.ndjson': [`${json}${json}{"account":"${id}","day\n`, ', row 3: is not JSON that can be read'],
        'late.ndjson': [
          `${longJson.repeat(longRows)}{"account":"${id}","day":"2026-11-14","auctons":1}\n`,
          `, row 1,301: "auctons" is no column here, or has another name in the rows before`,
        ],
        'twice.ndjson': [
          `${json}{"account":"${id}","day":"2026-11-14","auctions":1,"auctions":2}\n`,
          ', row 2, auctions: is there twice',
        ],
        'list.ndjson': [
          `${json}{"account":"${id}","day":"2026-11-14","devices":"a"}\n`,
          ', row 2, devices: is not a list',
        ],
        'nested.ndjson': [
          `${json}{"account":"${id}","day":"2026-11-14","country":["US"]}\n`,
          ', row 2, country: is not JSON that can be read',
        ],
        'cut.csv.gz': [packed.subarray(0, packed.length - 9), ': is cut short: the packed file has no end'],
        'cut.parquet': [parquet.subarray(0, -1), ': is not a whole Parquet file'],
        'damaged.parquet': [damaged, ': is not a whole Parquet file'],
        'empty.csv': ['', ': is empty'],
      }
      const files = await write(Object.fromEntries(Object.entries(faults).map(([name, [content]]) => [name, content])))
      const refusal = await refusalOf(load(auctions, files))
      expect(refusal.message.replaceAll(`${folder}/`, '').split('\n').slice(1)).toEqual(
        Object.entries(faults).map(([name, [, fault]]) => `  ${name}${fault}`),
      )
      expect(refusal.count).toBe(Object.keys(faults).length)
      expect(await visible(id)).toEqual([])
    },
  )

  it(
    'replaces the days of the accounts that it holds, or adds to them, and nothing else, at once',
    { timeout: 1_800_000 },
    async () => {
      const [left, right] = await Promise.all([service.createAccount('left'), service.createAccount('right')])
      const header = 'account,Day,Country,auctions,cleared,clicks,net_revenue,device_id\n'
      const days = async (key: string) => {
        const query = {
          start: '2026-11-12',
          end: '2026-11-14',
          dimensions: ['Day'],
          metrics: ['Auctions', 'Net Revenue', 'Uniques'],
        }
        const { body } = await service.ask(key, 'auctions', query)
        return body.data.map((row: object) => Object.values(row))
      }
      const first = await loadText(
        'first.csv',
        header +
          // Rounded to six places: up, down, away from zero.
          `${left.id},2026-11-12,US,1,1,1,0.0000015,a\n` +
          `${left.id},2026-11-13,US,2,2,2,1e-7,a\n` +
          `${left.id},2026-11-13,DE,4,4,4,-1.5,b\n` +
          `${right.id},2026-11-13,US,8,8,9,2,a\n`,
      )
      expect(first).toMatchObject({ rows: 4, accounts: 2, days: 2 })
      expect(first.warnings).toEqual({
        count: 1,
        first: [{ file: 'first.csv', row: 4, column: 'clicks', reason: '9 is more than cleared, 8' }],
      })
      expect(await showRange(left.key)).toMatchObject([{ start: '2026-11-12', end: '2026-11-13' }])
      const old = [
        ['2026-11-12', 1, 0.000002, 1],
        ['2026-11-13', 6, -1.5, 2],
      ]
      expect(await days(left.key)).toEqual(old)

      await loadText(
        'second.csv',
        `${header}${left.id},2026-11-13,FR,100,1,1,10,c\n${left.id},2026-11-14,FR,200,1,1,20,c\n`,
      )
      expect(await showRange(left.key)).toMatchObject([{ start: '2026-11-12', end: '2026-11-14' }])
      expect(await showRange(right.key)).toMatchObject([{ start: '2026-11-13', end: '2026-11-13' }])
      const replaced = [old[0], ['2026-11-13', 100, 10, 1], ['2026-11-14', 200, 20, 1]]
      const [after, untouched] = await Promise.all([days(left.key), days(right.key)])
      expect(after).toEqual(replaced)
      expect(untouched).toEqual([['2026-11-13', 8, 2, 1]])

      const more = `${JSON.stringify({ account: left.id, Day: '2026-11-14', Auctions: 1000, Devices: ['d', 'e'] })}\n`
      const append = (name: string, options: LoadOptions = {}) => loadText(name, more, { mode: 'append', ...options })
      // The same bytes under two names, at once: they are added once, until somebody means it.
      const appended = await Promise.all(['more.ndjson', 'again.ndjson'].map((name) => append(name)))
      expect(appended.filter(({ repeated }) => repeated === undefined)).toHaveLength(1)
      expect(await days(left.key)).toEqual([...replaced.slice(0, 2), ['2026-11-14', 1200, 20, 3]])
      await append('more.ndjson', { mayRepeat: true })
      expect(await days(left.key)).toEqual([...replaced.slice(0, 2), ['2026-11-14', 2200, 20, 3]])
    },
  )

  it('in any number and order gives the totals of a naive model', { timeout: 1_800_000 }, async () => {
    const days = ['2026-11-12', '2026-11-13']
    const row = fc.record({ owner: fc.nat(1), day: fc.constantFrom(...days), auctions: fc.nat(1_000) })
    const anyLoad = fc.record({
      mode: fc.constantFrom<LoadMode>('replace', 'replace', 'append'),
      rows: fc.array(row, { minLength: 1, maxLength: 5 }),
      isFaulty: fc.boolean(),
    })
    const some = fc.array(anyLoad, { minLength: 4, maxLength: 6 })
    const property = fc.asyncProperty(some, async (loads) => {
      const accounts = await Promise.all(['one', 'two'].map((name) => service.createAccount(name)))
      const totals = new Map<string, number>()
      for (const [number, { mode, rows, isFaulty }] of loads.entries()) {
        const lines = rows.map(
          ({ owner, day, auctions: count }) => `${accounts[owner]!.id},${day},${count},${number}\n`,
        )
        const fault = `${accounts[0]!.id},${days[0]},-1,\n`
        const text = `account,day,auctions,site\n${lines.join('')}${isFaulty ? fault : ''}`
        const loading = loadText('any.csv', text, { mode })
        if (isFaulty) {
          await refusalOf(loading)
          continue
        }
        await loading
        const keyOf = ({ owner, day }: (typeof rows)[number]): string => `${accounts[owner]!.id} ${day}`
        if (mode === 'replace') for (const each of rows) totals.delete(keyOf(each))
        for (const each of rows) totals.set(keyOf(each), (totals.get(keyOf(each)) ?? 0) + each.auctions)
      }
      for (const { id, key } of accounts) {
        const query = { start: days[0], end: days[1], dimensions: ['Day'], metrics: ['Auctions'] }
        const { body } = await service.ask(key, 'auctions', query)
        const expected = days
          .filter((day) => totals.has(`${id} ${day}`))
          .map((day) => [day, totals.get(`${id} ${day}`)])
        expect(body.data.map((each: object) => Object.values(each))).toEqual(expected)
      }
    })
    await fc.assert(property, { numRuns: isEmulated ? 1 : 25, seed: 1, endOnFailure: true })
  })

  it('reads addresses like files, and says what is wrong with them', { timeout: 1_800_000 }, async () => {
    const { id, key } = await service.createAccount('addresses')
    const columnData = [
      { name: 'account', data: Array.from({ length: 99 }, () => id), type: 'STRING' as const },
      { name: 'day', data: Array.from({ length: 99 }, () => '2026-11-13'), type: 'STRING' as const },
      { name: 'auctions', data: Array.from({ length: 99 }, (_, index) => index), type: 'INT32' as const },
    ]
    const parquet = new Uint8Array(parquetWriteBuffer({ columnData }))
    const url = await serveFiles({
      '/facts.parquet': parquet,
      '/facts.csv.gz': gzipSync(`account,day,auctions\n${id},2026-11-14,7\n`),
      '/faulty.csv': `account,day,auctions\n${id},2026-11-14,7\n${id},2026-11-14,-7\n`,
      '/cut.parquet': parquet.subarray(0, 500),
      '/open.csv': `account,day,site\n${id},2026-11-14,a\n${id},2026-11-14,"b\n${id},2026-11-14,c\n`,
      '/empty.csv': '',
    })
    await load(auctions, [`${url}/facts.parquet`, `${url}/facts.csv.gz`])
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
      'missing.parquet',
      'facts.csv.zst',
      'facts',
    ]
    const refusal = await refusalOf(
      load(
        auctions,
        names.map((name) => `${url}/${name}`),
      ),
    )
    expect(refusal.message.replaceAll(`${url}/`, '').split('\n').slice(1)).toEqual([
      '  cut.parquet: is not a whole Parquet file',
      '  open.csv: it ends within a quoted value',
      '  empty.csv: cannot be read, the engine says CANNOT_EXTRACT_TABLE_STRUCTURE',
      '  missing.csv: cannot be fetched: there is no such file, or it may not be read',
      '  missing.parquet: cannot be fetched: there is no such file, or it may not be read',
      '  facts.csv.zst: zstd is not read from addresses; fetch it, and load - or the file',
      '  facts: say what it is with --format parquet, csv or ndjson',
      '  faulty.csv, row 2, auctions: "-7" is negative',
    ])
  })
})
