import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { describe, expect, it, vi } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import { dimensionValues, loadTestFacts } from '../setup/facts.ts'
import { openService } from '../setup/service.ts'

const service = await openService()
service.workers.start()
const account = await service.createAccount('reports')
/** Every awkward value twice, so that groups have two facts. */
const facts = [...dimensionValues, ...dimensionValues].map((value, index) => ({
  day: '2026-11-14',
  dimensions: { Country: value, 'App Name': value },
  measures: { auctions: BigInt(index + 1), net_revenue: BigInt(index) * 1_000_001n, clicks: 0n },
  devices: [],
}))
await loadTestFacts(service, auctions, account.id, facts)

const query = {
  start: '2026-11-13',
  end: '2026-11-14',
  dimensions: ['Country', 'App Name'],
  metrics: ['Auctions', 'Net Revenue', 'CTR'],
  sort: [{ field: 'Auctions', order: 'desc' }],
}

const start = async (body: object) => {
  const response = await service.app.inject({
    method: 'POST',
    url: '/v2/data/asynchronous?cube=auctions',
    headers: { 'x-api-key': account.key },
    payload: body,
  })
  expect(response.statusCode).toBe(202)
  return String(response.json().job_id)
}
const finish = (id: string) =>
  vi.waitFor(
    async () => {
      const [job] = (await service.get(account.key, `/v2/data/status?jobId=${id}`)).body
      expect(job.job_status).not.toBe('PROCESSING')
      return job
    },
    { timeout: 120_000, interval: 100 },
  )
const download = async (url: string): Promise<string> => {
  const response = await service.app.inject({ url: url.replace('http://localhost:80', '') })
  expect(response.statusCode).toBe(200)
  return response.body
}

/** Parses a text with Python's csv module. */
async function readWithPython(csv: string): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-csv-'))
  const file = join(folder, 'report.csv')
  await writeFile(file, csv)
  const code =
    'import csv, json, sys; print(json.dumps(list(csv.reader(open(sys.argv[1], newline="", encoding="utf-8")))))'
  const { stdout } = await promisify(execFile)('python3', ['-c', code, file])
  await rm(folder, { recursive: true })
  return JSON.parse(stdout)
}

describe('a report', () => {
  it('holds the rows of the synchronous answer, in its order, and survives two readers of CSV', async () => {
    const job = await finish(await start(query))
    expect(job).toMatchObject({
      job_status: 'SUCCESS',
      rows: dimensionValues.length,
      progress: 1,
      failure_reason: null,
    })
    const csv = await download(job.output_url)
    expect(Buffer.byteLength(csv)).toBe(job.bytes)
    const rows = (await service.ask(account.key, 'auctions', query)).body.data as Record<
      string,
      string | number | null
    >[]
    expect(rows).toHaveLength(dimensionValues.length)
    // Amounts have six decimals in CSV, and no trailing zeros in JSON.
    const plain = (value: string | number | null): string =>
      value === null ? '' : typeof value === 'number' ? String(value) : value
    const expected = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row).map(plain))]
    const numbers = (table: string[][]) =>
      table.map((fields, row) =>
        fields.map((field, at) => (row > 0 && at >= 2 && field !== '' ? String(Number(field)) : field)),
      )
    expect(numbers(parse(csv))).toEqual(expected)
    expect(numbers(await readWithPython(csv))).toEqual(expected)
    expect(csv.split('\r\n')[0]?.replaceAll('"', '')).toBe('Country,App Name,Auctions,Net Revenue,CTR')
  })

  it('of nothing is a header', async () => {
    const job = await finish(
      await start({ ...query, filters: [{ field: 'Country', operator: '=', value: 'nowhere' }] }),
    )
    expect(job).toMatchObject({ job_status: 'SUCCESS', rows: 0 })
    expect(await download(job.output_url)).toMatch(
      /^"?Country"?,"?App Name"?,"?Auctions"?,"?Net Revenue"?,"?CTR"?\r\n$/,
    )
  })

  it('filters by patterns as a query does', async () => {
    const like = (value: string) => start({ ...query, filters: [{ field: 'Country', operator: 'like', value }] })
    const jobs = await Promise.all(
      [await like('unde_\\_s%'), await like('¿%_'), await like(`${'%_'.repeat(15)}~`)].map(finish),
    )
    expect(jobs).toMatchObject([1, 0, 0].map((rows) => ({ job_status: 'SUCCESS', rows })))
  })

  it('has as many rows as were asked for', async () => {
    const job = await finish(await start({ ...query, limit: 3 }))
    expect(job).toMatchObject({ job_status: 'SUCCESS', rows: 3 })
  })
})
