import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { describe, expect, it, vi } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { atEnd } from './setup/at-end.ts'
import { dimensionValues, loadTestFacts } from './setup/facts.ts'
import { openService } from './setup/service.ts'

const service = await openService()
service.workers.start()
const baseUrl = await service.app.listen({ host: '127.0.0.1', port: 0 })
const account = await service.createAccount('analysis')
const facts = dimensionValues.map((value, index) => ({
  day: '2026-11-14',
  dimensions: { Country: value },
  measures: { auctions: BigInt(index + 1), net_revenue: BigInt(index) * 1_000_001n, clicks: 0n },
  devices: [],
}))
await loadTestFacts(service, auctions, account.id, facts)

const folder = await mkdtemp(join(tmpdir(), 'adcube-analysis-'))
atEnd(() => rm(folder, { recursive: true, force: true }))
const file = (name: string): string => join(folder, name)

const asked = { ADCUBE_API_KEY: account.key, ADCUBE_BASE_URL: baseUrl }

/** Runs the real command with only these settings. */
function begin(args: readonly string[], env: NodeJS.ProcessEnv = asked, input = '') {
  const { PATH } = process.env
  const child = spawn(process.execPath, ['src/cli/main.ts', ...args], {
    env: { PATH, XDG_CONFIG_HOME: folder, ...env },
  })
  child.stdin.end(input)
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)))
  return { child, output, ended: once(child, 'close').then(([code]) => ({ code: Number(code), ...output })) }
}
const run = (...args: Parameters<typeof begin>) => begin(...args).ended

const days = ['--from', '2026-11-13', '--to', '2026-11-14']
const question = ['auctions', '-d', 'country', '-m', 'auctions,net_revenue,CTR', '--sort', '-auctions', ...days]
const { data: rows } = (
  await service.ask(account.key, 'auctions', {
    start: '2026-11-13',
    end: '2026-11-14',
    dimensions: ['Country'],
    metrics: ['Auctions', 'Net Revenue', 'CTR'],
    sort: [{ field: 'Auctions', order: 'desc' }],
  })
).body

describe('adcube login', () => {
  it('stores a working URL and key where no other user can read them', async () => {
    const nobody = await run(['ranges'], {})
    expect(nobody).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('adcube login') })
    const login = ['login', '--base-url', `${baseUrl}/`, '--key-stdin']
    expect(await run(login, {}, 'adc_wrong\n')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is invalid'),
    })
    expect(await readdir(folder)).toEqual([])

    expect(await run(login, {}, `${account.key}\n`)).toMatchObject({ code: 0, stdout: '' })
    expect(await readdir(file('adcube'))).toEqual(['credentials.json'])
    const modes = await Promise.all(['adcube', 'adcube/credentials.json'].map((name) => stat(file(name))))
    expect(modes.map(({ mode }) => (mode & 0o777).toString(8))).toEqual(['700', '600'])
    const [ranges, otherKey, otherServer] = await Promise.all([
      run(['ranges'], {}),
      run(['ranges'], { ADCUBE_API_KEY: 'adc_x' }),
      run(['ranges'], { ADCUBE_BASE_URL: 'http://127.0.0.1:1' }),
    ])
    expect(ranges.stdout).toMatch(/^auctions +2026-11-14 +2026-11-14 +1$/m)
    expect([otherKey.code, otherServer.code]).toEqual([1, 3])

    expect(await run(['logout'], {})).toMatchObject({ code: 0 })
    expect(await run(['ranges', '--json'], {})).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('adcube query', () => {
  it('prints only the rows of the API for other programs', async () => {
    const [csv, json, ndjson, table, parquet] = await Promise.all([
      run(['query', ...question]),
      run(['query', ...question, '--format', 'json']),
      run(['query', ...question, '-o', file('rows.ndjson')]),
      run(['query', ...question, '--format', 'table'], { ...asked, NO_COLOR: '1' }),
      run(['query', 'auctions', '-d', 'Day,Country', '-m', 'Auctions,CTR', ...days, '-o', file('rows.parquet')]),
    ])
    const words = `${rows.length} rows, 2026-11-13 to 2026-11-14; data through 2026-11-14\n`
    for (const { code, stderr } of [csv, json, ndjson, table, parquet])
      expect({ code, stderr }).toEqual({ code: 0, stderr: words })

    expect(csv.stdout.split('\r\n')[0]).toBe('Country,Auctions,Net Revenue,CTR')
    expect(csv.stdout).toContain('\r\n"a,b",')
    expect(JSON.parse(json.stdout)).toEqual(rows)
    expect(ndjson.stdout).toBe('')
    const lines = (await readFile(file('rows.ndjson'), 'utf8')).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows)
    expect(table.stdout).toMatch(/^[^\p{Cc}]+$/mu)
    expect(table.stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}|█/u)
    const read = await parquetReadObjects({ file: await asyncBufferFromFile(file('rows.parquet')) })
    const wanted = rows.map(({ Country, Auctions, CTR }: any) => ({
      Day: new Date('2026-11-14'),
      Country,
      Auctions: BigInt(Auctions),
      CTR,
    }))
    expect(read.toSorted((a, b) => (a.Auctions < b.Auctions ? 1 : -1))).toEqual(wanted)
  })

  it('writes no file whose ending promises another format', async () => {
    const outcomes = await Promise.all([
      run(['query', ...question, '-o', file('rows.xlsx')]),
      run(['query', ...question, '-o', file('rows.csv.gz')]),
      run(['report', ...question, '-o', file('report.xlsx')]),
      run(['query', ...question, '-o', file('rows.NDJSON')]),
      run(['query', ...question, '-o', file('rows.txt'), '--format', 'table']),
    ])
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2, 0, 0])
    const known = 'is not one of .json, .ndjson, .csv, .parquet. Choose one, or give --format.\n'
    expect(outcomes.slice(0, 3).map(({ stderr }) => stderr)).toEqual([
      `-o: The ending ".xlsx" ${known}`,
      `-o: The ending ".gz" ${known}`,
      'A report is CSV: give -o FILE.csv.\n',
    ])
    expect((await readdir(folder)).filter((name) => /xlsx|gz/.test(name))).toEqual([])
    expect((await readFile(file('rows.NDJSON'), 'utf8')).split('\n').slice(0, -1)).toHaveLength(rows.length)
  })

  it('reports errors with suggestions, and points to reports for larger queries', async () => {
    const [names, tooMany, away, malformed] = await Promise.all([
      run(['query', 'auctions', '-d', 'Contry,OSS', '-m', 'ecp', '--where', 'Ap Name=x', ...days]),
      run(['query', 'auctions', '-d', 'Day,Country,OS', '-m', 'Clicks', ...days]),
      run(['query', ...question], { ...asked, ADCUBE_BASE_URL: 'http://127.0.0.1:1' }),
      run(['query', 'auctions', '-m', 'Clicks', '--where', 'Country']),
    ])
    expect(names.stderr.trimEnd().split('\n')).toEqual([
      '--dimensions: "Contry" is not a dimension of this cube. Did you mean "Country"?',
      '--dimensions: "OSS" is not a dimension of this cube. Did you mean "OS"?',
      '--metrics: "ecp" is not a metric of this cube. Did you mean "eCPM"?',
      '--where: "Ap Name" is not a dimension of this cube. Did you mean "App Name"?',
    ])
    expect(tooMany.stderr).toContain('`adcube report`')
    expect(away.stderr).toBe('adcube: The server cannot be reached. No answer from http://127.0.0.1:1.\n')
    expect(malformed.stderr).toContain('FIELD not in A,B')
    expect([names, tooMany, away, malformed].map(({ code, stdout }) => [code, stdout])).toEqual([
      [2, ''],
      [2, ''],
      [3, ''],
      [2, ''],
    ])
  })
})

describe('adcube report', () => {
  const start = ['report', ...question.slice(0, 1), '-d', 'Country', '-m', 'Auctions', ...days]

  it('saves the report as the server made it, whole or not at all, and resumes downloads', async () => {
    const made = await run([...start, '-o', file('a.csv')])
    expect(made).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(`${rows.length} rows, `) })
    const id = /Started (job_\w+)/.exec(made.stderr)![1]!
    const [job] = (await service.get(account.key, `/v2/data/status?jobId=${id}`)).body
    const { pathname, search } = new URL(job.output_url)
    const whole = Buffer.from(await (await fetch(baseUrl + pathname + search)).arrayBuffer())
    expect(await readFile(file('a.csv'))).toEqual(whole)

    await writeFile(file('b.csv.part'), whole.subarray(0, 20))
    await writeFile(file('c.csv.part'), 'of another report')
    const [resumed, damaged, piped, listed] = await Promise.all([
      run(['report', '--job', id, '-o', file('b.csv')]),
      run(['report', '--job', id, '-o', file('c.csv')]),
      run(['report', '--job', id]),
      run(['jobs', '--status', 'success', '--json']),
    ])
    expect(resumed.code).toBe(0)
    expect(await readFile(file('b.csv'))).toEqual(whole)
    expect(damaged).toMatchObject({ code: 1, stderr: expect.stringContaining('checksum') })
    expect((await readdir(folder)).filter((name) => /^[abc]\.csv/.test(name))).toEqual(['a.csv', 'b.csv'])
    expect(piped).toMatchObject({ code: 0, stdout: whole.toString() })
    expect(JSON.parse(listed.stdout)).toContainEqual(expect.objectContaining({ job_id: id, rows: rows.length }))

    expect(await run(['cancel', id])).toMatchObject({ code: 0, stdout: `${id}\n` })
    expect(await run(['report', '--job', id, '-o', file('d.csv')])).toMatchObject({
      code: 1,
      stderr: `adcube: Unknown job ${id}.\n`,
    })
  })

  it('leaves the job running when it is interrupted, and says how to fetch the report', async () => {
    // Without workers, the report cannot be ready too early.
    await service.workers.stop()
    const { child, output, ended } = begin([...start, '-o', file('late.csv')])
    await vi.waitFor(() => expect(output.stderr).toContain('Started'), { timeout: 30_000, interval: 20 })
    child.kill('SIGINT')
    const { code, stderr } = await ended
    const id = /Started (job_\w+)/.exec(stderr)![1]!
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`adcube report --job ${id} -o ${file('late.csv')}\nadcube: Interrupted.`),
    })
    const { body } = await service.get(account.key, `/v2/data/status?jobId=${id}`)
    expect(body).toMatchObject([{ job_status: 'PROCESSING' }])
  })
})

it('adcube fields describes the cubes without a server', async () => {
  const [found, named] = await Promise.all([
    run(['fields', '--cube', 'auctions', 'revenue', 'thousand', '--json'], {}),
    run(['fields', 'clicks'], {}),
  ])
  expect(JSON.parse(found.stdout)).toEqual([
    {
      cube: 'auctions',
      name: 'eCPM',
      kind: 'metric',
      type: 'currency',
      description: 'Net revenue of a thousand cleared impressions',
      formula: '1000 * sum(net_revenue) / sum(cleared)',
    },
  ])
  expect(named.stdout).toContain('Metrics of platform-performance')
})

it('shell completion offers the field names of the cube, and files', async () => {
  const complete = async (...words: string[]) => (await run(['complete', '--', ...words], {})).stdout.match(/^\S+/gm)
  const [names, lower, files] = await Promise.all([
    complete('query', 'platform-performance', '-m', 'Fills,NR_'),
    complete('report', 'auctions', '--sort', 'net'),
    complete('load', 'auctions', ''),
  ])
  expect(names).toEqual(['Fills,NR_eCPM', 'Fills,NR_Impressions', 'Fills,NR_Revenue', ':4'])
  expect(lower).toEqual(['net_revenue', ':4'])
  expect(files).toEqual([':0'])
})
