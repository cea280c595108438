import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { countDays } from '../src/query/day.ts'
import { openStore } from '../src/store/open-store.ts'
import { makeKey } from './setup/make-key.ts'
import { isAlive, openFolder } from './setup/serve.ts'

/** Tests that wait for an answer send more requests than an account may. */
const asOftenAsItLikes = { ADCUBE_RATE_LIMITS: 'off' }
const demo = ['--demo', '--demo-days', '8']

/** Runs the curl line that the first start printed. */
async function paste(line: string) {
  const [, url, key, body] =
    /^curl -s '([^']+)' -H 'x-api-key: ([^']+)' -H 'content-type: application\/json' -d '([^']+)'$/.exec(line)!
  const headers = { 'x-api-key': key!, 'content-type': 'application/json', connection: 'close' }
  const response = await fetch(url!, { method: 'POST', headers, body: body! })
  const answer = (await response.json()) as any
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: answer }
}

describe('adcube serve --demo', async () => {
  const { folder, serve, run } = await openFolder()
  let line = ''
  let rows: any[] = []
  const outputs: { stdout: string; stderr: string }[] = []

  it('answers the printed command, survives the end of its query process, and leaves no processes', async () => {
    const { child, output, address, queryPid } = serve(demo, {
      ...asOftenAsItLikes,
      ADCUBE_CACHE_MB: '0',
      ADCUBE_METRICS_PORT: '0',
    })
    outputs.push(output)
    await address()
    line = /^curl .*$/m.exec(output.stdout)![0]
    const before = await paste(line)
    rows = before.body.data
    expect(before.status).toBe(200)
    expect(rows).toHaveLength(5)
    expect(rows[0]['Net Revenue']).toBeGreaterThan(0)

    const first = queryPid()
    process.kill(first, 'SIGKILL')
    const statuses = new Set<number>()
    const hasAnswered = async () => {
      const { status, retryAfter } = await paste(line)
      statuses.add(status)
      if (status === 503) expect(retryAfter).toBe('1')
      expect(status).toBe(200)
    }
    await vi.waitFor(hasAnswered, { timeout: 30_000, interval: 10 })
    expect(statuses).toEqual(new Set([503, 200]))
    expect((await paste(line)).body.data).toEqual(rows)
    // The log is written a moment later.
    await vi.waitFor(() => expect(queryPid()).not.toBe(first), { timeout: 5_000 })

    // Ctrl-C in a terminal reaches all processes. Running requests are still answered.
    process.kill(queryPid(), 'SIGSTOP')
    const asked = paste(line)
    const metrics = /Metrics at (http:\S+?)"/.exec(output.stderr)![1]
    await vi.waitFor(
      async () => expect(await (await fetch(`${metrics}/metrics`)).text()).toContain('adcube_queries_running 1'),
      { timeout: 30_000, interval: 20 },
    )
    for (const pid of [queryPid(), child.pid!]) process.kill(pid, 'SIGINT')
    await vi.waitFor(() => expect(output.stderr).toContain('"msg":"stopping"'), { timeout: 30_000, interval: 20 })
    process.kill(queryPid(), 'SIGCONT')
    expect((await asked).status).toBe(200)
    if (child.exitCode === null) await once(child, 'exit')
    expect(child.exitCode).toBe(0)
    expect(isAlive(queryPid())).toBe(false)
    expect(await readdir(join(folder, 'spill'))).toEqual([])
    expect(await readdir(join(folder, 'drafts'))).toEqual([])
  })

  it('restarts with its data and shares them with a second server, a worker and a loader', async () => {
    const first = serve(demo, asOftenAsItLikes)
    const second = serve([], asOftenAsItLikes)
    outputs.push(first.output, second.output)
    for (const { address } of [first, second]) {
      const { status, body } = await paste(line.replace(/http:\/\/[\d.:]+/, await address()))
      expect(status).toBe(200)
      expect(body.data).toEqual(rows)
    }
    expect(first.output.stdout).toContain('were shown at the first start')

    const templates = join(folder, 'templates')
    expect(await run(['load', '--describe', 'auctions', '--templates', templates])).toMatchObject({ code: 0 })
    const loaded = await run(['load', 'auctions', join(templates, '*'), '--create-accounts', '--json'])
    expect(loaded).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(loaded.stdout)).toMatchObject({ rows: 3, created_accounts: ['my-account'], repeats_load: null })
    const day: string = JSON.parse(loaded.stdout).first_day
    const store = await openStore({ folder })
    const key = await makeKey(store, 'my-account', Date.now())
    await store.destroy()
    const query = { start: day, end: day, dimensions: ['Country'], metrics: ['Auctions', 'Net Revenue', 'Uniques'] }
    const answer = [{ Country: 'US', Auctions: 3, 'Net Revenue': 0.75, Uniques: 2 }]
    for (const { address } of [first, second]) {
      const asked = line
        .replace(/http:\/\/[\d.:]+/, await address())
        .replace(/adc_\w+/, key)
        .replace(/-d '.*'/, `-d '${JSON.stringify(query)}'`)
      expect((await paste(asked)).body.data).toEqual(answer)
    }

    const refused = await run(['load', 'auctions', '-', '--json'], 'account,day,contry\nmy-account,2026-11-14,DE\n')
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.stdout)).toEqual({
      faults: [
        { file: 'standard input', row: null, column: 'contry', reason: expect.stringContaining('unknown column') },
      ],
      count: 1,
    })
    expect(refused.stderr).toContain('adcube: 1 fault; nothing was loaded.')
    expect(JSON.parse((await run(['loads', '--limit', '2', '--json'])).stdout)).toMatchObject([
      { outcome: 'failed', visible_days: 0, failure_reason: expect.stringContaining('contry') },
      {
        outcome: 'visible',
        rows: 3,
        accounts: 1,
        first_day: day,
        files: [{ name: join(templates, 'auctions.csv') }, {}, {}],
        warnings: { count: 0, first: [] },
      },
    ])

    for (const { child, queryPid } of [first, second]) {
      child.kill('SIGKILL')
      await vi.waitFor(() => expect(isAlive(queryPid())).toBe(false), { timeout: 5_000 })
    }
  })

  it('keeps facts in files that other tools can read', async () => {
    const connection = await (await DuckDBInstance.create()).connect()
    const [, , , body] = /-d '(.+)'$/.exec(line) ? ['', '', '', /-d '(.+)'$/.exec(line)![1]!] : []
    const { start, end } = JSON.parse(body!) as { start: string; end: string }
    const files = join(folder, 'facts', 'auctions', '*', 'account=aurora-games', '*', '*.parquet')
    const reader = await connection.runAndReadAll(
      `SELECT country, sum(auctions)::INTEGER FROM read_parquet($files) WHERE day BETWEEN $start AND $end
      GROUP BY country ORDER BY sum(net_revenue) DESC LIMIT 5`,
      { files, start, end },
    )
    expect(reader.getRows()).toEqual(rows.map((row) => [row.Country, row.Auctions]))
  })

  it('prints its key and its password once, and stores them in no file and no log', async () => {
    const key = /adc_\w{46}/.exec(line)![0]
    const password = /Sign-in {2}\S+ {2}(\S{20}) /.exec(outputs[0]!.stdout)![1]!
    for (const secret of [key, password]) {
      expect(outputs.map(({ stdout }) => stdout.includes(secret))).toEqual([true, false, false])
    }
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    expect(files).toContain(join(folder, 'adcube.db'))
    const texts = [
      ...outputs.map(({ stderr }) => stderr),
      ...(await Promise.all(files.map((file) => readFile(file, 'latin1')))),
    ]
    for (const secret of [key.slice(4, 44), password]) {
      expect(texts.filter((text) => text.includes(secret))).toEqual([])
    }
  })

  it('removes the leftovers of a killed server at the next start', async () => {
    expect((await readdir(join(folder, 'spill'))).length).toBeGreaterThan(0)
    const { child, address } = serve([])
    await address()
    expect(await readdir(join(folder, 'spill'))).toEqual([expect.stringContaining(`-${child.pid}-`)])
  })
})

describe('adcube load', async () => {
  const { folder, begin } = await openFolder("with [x] and 'quotes' * ")

  it('works without a server and beside other loads, and leaves nothing when it is interrupted', async () => {
    const day = new Date().toISOString().slice(0, 10)
    const csv = (account: string) => `account,day,auctions\n${account},${day},1\n`
    const loading = ['load', 'auctions', '-', '--format', 'csv', '--create-accounts', '--json']
    const loads = [begin(loading), begin(loading), begin(loading)]
    const states = async () => {
      const store = await openStore({ folder })
      const rows = await store.selectFrom('loads').select('state').orderBy('id').execute()
      await store.destroy()
      return rows.map(({ state }) => state)
    }
    const become = (...wanted: string[]) =>
      vi.waitFor(async () => expect(await states()).toEqual(wanted), { timeout: 30_000, interval: 50 })
    await become('loading', 'loading', 'loading')
    loads[0]!.child.stdin.end(csv('one'))
    loads[1]!.child.stdin.end(csv('two'))
    expect(await Promise.all([loads[0]!.ended, loads[1]!.ended])).toMatchObject([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ])
    loads[2]!.child.stdin.write(csv('three'))
    loads[2]!.child.kill('SIGINT')
    expect(await loads[2]!.ended).toMatchObject({ code: 1, stderr: 'adcube: Interrupted; nothing was loaded.\n' })
    expect((await states()).toSorted()).toEqual(['failed', 'visible', 'visible'])
    expect(await readdir(join(folder, 'drafts'))).toEqual([])
    expect(await readdir(join(folder, 'facts', 'auctions'))).toHaveLength(2)
  })
})

describe('adcube serve', async () => {
  const { folder, serve } = await openFolder()
  const another = await openFolder()

  it('refuses facts that belong to other control data', async () => {
    const { address } = serve([])
    await address()
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(join(folder, 'adcube.db'))
    database.exec("UPDATE secrets SET value = '00' WHERE name = 'engine-owner'")
    database.close()
    const refused = serve([])
    expect(await once(refused.child, 'exit')).toEqual([1, null])
    expect(refused.output.stderr).toContain('belong to other control data')
  })

  it('ends on a signal at any moment of its first start', async () => {
    const { child, output } = another.serve(['--demo'])
    await vi.waitFor(() => expect(output.stderr).toContain('Creating sample data'), { timeout: 30_000, interval: 10 })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    const next = another.serve(demo)
    await next.address()
    expect(next.output.stdout).toContain('Adcube is ready.')
    next.child.kill('SIGTERM')
    await once(next.child, 'exit')
  })

  it('creates older sample days after it is ready, newest first, and resumes after an interruption', async () => {
    const older = ['--demo', '--demo-days', '66']
    const interrupted = another.serve(older)
    await interrupted.address()
    interrupted.child.kill('SIGTERM')
    expect(await once(interrupted.child, 'exit')).toEqual([0, null])
    expect(interrupted.output.stderr).not.toContain('could not be created')

    const { output } = another.serve(older)
    const making = (percent: number) => new RegExp(`"percent":${percent},"msg":"creating older sample data"`)
    await vi.waitFor(() => expect(output.stderr).toMatch(making(100)), { timeout: 60_000, interval: 50 })
    expect(output.stderr).toMatch(making(0))
    const store = await openStore({ folder: another.folder })
    const { rows } = await sql<{ days: number; first: string; last: string }>`
      SELECT count(DISTINCT day) AS days, min(day) AS first, max(day) AS last FROM visible_loads`.execute(store)
    await store.destroy()
    expect(rows[0]!.days).toBe(66)
    expect(countDays(rows[0]!.first, rows[0]!.last)).toBe(66)
  })
})

it('a server still answers when nobody reads its log, and writes all of it before it ends', async () => {
  const { serve } = await openFolder()
  const { child, output, address } = serve([])
  const url = await address()
  child.stderr.pause()
  const statuses = new Set<number>()
  const ask = async (): Promise<void> => {
    // Some 600 KB of log, more than a pipe holds.
    for (let count = 0; count < 300; count++) {
      const response = await fetch(`${url}/v2/data`, { signal: AbortSignal.timeout(30_000) })
      await response.arrayBuffer()
      statuses.add(response.status)
    }
  }
  await Promise.all(Array.from({ length: 10 }, ask))
  expect(statuses).toEqual(new Set([401, 429]))

  child.stderr.resume()
  child.kill('SIGTERM')
  await once(child, 'close')
  expect(output.stderr.match(/"route":"\/v2\/data"/g)).toHaveLength(3_000)
})
