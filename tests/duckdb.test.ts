import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { openDuckdbFacts } from '../src/facts/duckdb/duckdb-facts.ts'
import { openDuckdb, type DuckdbOptions } from '../src/duckdb/open-duckdb.ts'
import { QueryProcess } from '../src/facts/duckdb/query-process.ts'
import { openSpillFolder } from '../src/duckdb/spill-folder.ts'
import { interruptOn } from '../src/duckdb/watch-statements.ts'
import { atEnd } from './setup/at-end.ts'
import { makeDraft, makeQuery } from './setup/draft.ts'
import { childrenOf } from './setup/children.ts'
import { isAlive } from './setup/serve.ts'

const folder = await mkdtemp(join(tmpdir(), 'adcube-duckdb-'))
const allowed = join(folder, 'allowed')
await mkdir(allowed)
atEnd(() => rm(folder, { recursive: true, force: true }))

const log = pino({ level: 'silent' })
const never = new AbortController().signal
const options: DuckdbOptions = { memoryMb: 256, threads: 2, spillFolder: join(allowed, 'spill'), folders: [allowed] }
const endless = { sql: 'SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b', params: {}, limit: 1 }

describe('DuckDB in our processes', async () => {
  const { connection } = await openDuckdb(options)
  await writeFile(join(folder, 'outside.csv'), 'secret\n')
  await symlink(join(folder, 'outside.csv'), join(allowed, 'link.csv'))

  it.each([
    `SELECT * FROM read_csv('${folder}/outside.csv')`,
    `SELECT * FROM read_csv('${allowed}/../outside.csv')`,
    `SELECT * FROM read_csv('${allowed}/link.csv')`,
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_csv('https://files.example/x.csv')",
    `COPY (SELECT 1) TO '${folder}/written.csv'`,
    `ATTACH '${folder}/x.db'`,
    'INSTALL httpfs',
    'LOAD httpfs',
    "SET memory_limit = '10GB'",
    'SET enable_external_access = true',
    'SET lock_configuration = false',
    "SET allowed_directories = ['/']",
  ])('refuses %s', async (sql) => {
    await expect(connection.run(sql)).rejects.toThrow(/Permission|Invalid Input|IO|Missing Extension|Cannot/)
  })

  it('reads and writes in its own folder', async () => {
    await connection.run(`COPY (SELECT 7 AS x) TO '${allowed}/own.parquet' (FORMAT parquet)`)
    const reader = await connection.runAndReadAll(`SELECT x FROM read_parquet('${allowed}/own.parquet')`)
    expect(reader.getRows()).toEqual([[7]])
  })
})

const threadsHere = async (): Promise<number> => (await readdir('/proc/self/task')).length

it.runIf(process.platform === 'linux')('DuckDB is closed also if a statement fails', async () => {
  const before = await threadsHere()
  const work = async (): Promise<void> => {
    await using duckdb = await openDuckdb({ ...options, threads: 40 })
    expect(await threadsHere()).toBeGreaterThan(before + 35)
    await duckdb.connection.run("SELECT error('no')")
  }
  await expect(work()).rejects.toThrow('no')
  expect(await threadsHere()).toBeLessThan(before + 5)
})

it('an interruption before its statement is not lost', async () => {
  await using duckdb = await openDuckdb(options)
  const stop = new AbortController()
  using _ = interruptOn(stop.signal, [duckdb.connection])
  stop.abort()
  await expect(duckdb.connection.run(endless.sql)).rejects.toThrow('INTERRUPT')
})

describe('a query process', async () => {
  const spill = await openSpillFolder(folder)
  const open = async (memoryMb = 256, spillMbMax?: number) => {
    const queries = new QueryProcess({ ...options, memoryMb, spillMbMax }, spill, log)
    atEnd(() => queries.stop())
    await queries.start()
    return queries
  }
  const one = { sql: 'SELECT 1 AS one', params: {}, limit: 1 }

  it('stops a query at once when its caller is gone, and answers the next one', async () => {
    const queries = await open()
    const caller = new AbortController()
    const asked = queries.ask(endless, caller.signal)
    const ended = expect(asked).rejects.toMatchObject({ trouble: 'cancelled' })
    expect(await queries.ask(one, never)).toMatchObject({ json: Buffer.from('{"one":1}') })
    caller.abort()
    await ended
    expect(await queries.ask(one, never)).toMatchObject({ json: Buffer.from('{"one":1}') })
  })

  it('is ended if a cancelled query does not stop, and the log says which query that was', async () => {
    let written = ''
    const stream = { write: (line: string) => void (written += line) }
    const queries = new QueryProcess(options, spill, pino({}, stream), { cancelMsMax: 100 })
    atEnd(() => queries.stop())
    await queries.start()
    // Steps of a recursion, between which DuckDB does not look for interruptions.
    const stuck = {
      sql: 'SELECT $text LIKE $pattern AS x',
      params: { text: 'a'.repeat(500), pattern: `${'%_'.repeat(20)}~` },
      limit: 1,
    }
    const caller = new AbortController()
    const asked = queries.ask(stuck, caller.signal, { reqId: 'req_1', account: 'acme' })
    const ended = expect(asked).rejects.toMatchObject({ trouble: 'away' })
    expect(await queries.ask(one, never)).toMatchObject({ json: Buffer.from('{"one":1}') })
    caller.abort()
    await ended
    await vi.waitFor(async () => expect(await queries.ask(one, never)).toMatchObject({ count: 1 }), 10_000)
    const lines = written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(lines.slice(1)).toMatchObject([
      { reqId: 'req_1', account: 'acme', msg: 'cancelled query did not stop within 0.1 s; ending the query process' },
      { reason: 'a query did not stop', msg: 'query process ended; starting another' },
      { msg: 'query process ready' },
    ])
    expect(queries.stats).toMatchObject({ kills: 1, restarts: 0 })
  })

  it('refuses a query that exceeds the memory limit as busy, and answers the next one', async () => {
    const queries = await open(64)
    const hungry = {
      sql: 'SELECT length(string_agg(repeat(range::VARCHAR, 50))) AS x FROM range(100000000)',
      params: {},
      limit: 1,
    }
    await expect(queries.ask(hungry, never)).rejects.toMatchObject({ trouble: 'busy' })
    expect(await queries.ask(one, never)).toMatchObject({ json: Buffer.from('{"one":1}') })
  })

  it('refuses a query that needs more disk than it may use as busy, and answers the next one', async () => {
    const sums = { sql: 'SELECT count(*) AS n FROM (SELECT DISTINCT md5(range::VARCHAR) FROM range(2000000))' }
    const large = { ...one, ...sums }
    const bounded = await open(64, 1)
    await expect(bounded.ask(large, never)).rejects.toMatchObject({ trouble: 'busy' })
    expect(await bounded.ask(one, never)).toMatchObject({ json: Buffer.from('{"one":1}') })
  })

  it('that has grown too large is replaced without a failed query, and one process is left', async () => {
    const queries = new QueryProcess({ ...options, memoryMb: 65 }, spill, log, { overheadMbMax: -64 })
    atEnd(() => queries.stop())
    await queries.start()
    const before = childrenOf(process.pid, '"memoryMb":65,')
    for (let turn = 0; turn < 40; turn++) {
      expect(await Promise.all([queries.ask(one, never), queries.ask(one, never)])).toMatchObject([
        { json: Buffer.from('{"one":1}') },
        { json: Buffer.from('{"one":1}') },
      ])
    }
    await vi.waitFor(async () => {
      // Each answer reports the memory of the process, and the newest process may be replaced too.
      const now = childrenOf(process.pid, '"memoryMb":65,')
      expect(now.filter((pid) => before.includes(pid))).toEqual([])
      expect(now.length).toBeLessThanOrEqual(2)
    }, 10_000)
    await queries.stop()
    expect(childrenOf(process.pid, '"memoryMb":65,')).toEqual([])
  })

  it('has its own spill folder, which is removed when it is killed', async () => {
    const shared = await openSpillFolder(join(folder, 'shared'))
    const [left, right] = [1, 2].map(() => new QueryProcess({ ...options, memoryMb: 100 }, shared, log)) as [
      QueryProcess,
      QueryProcess,
    ]
    await Promise.all([left.start(), right.start()])
    const sort = {
      sql: "SELECT count(*)::INTEGER AS n FROM (SELECT row_number() OVER (ORDER BY md5(range::VARCHAR), range) AS n, repeat('x', 50) FROM range(1000000))",
      params: {},
      limit: 1,
    }
    const answers = await Promise.all([left.ask(sort, never), right.ask(sort, never), left.ask(sort, never)])
    expect(answers.map(({ json }) => json.toString())).toEqual(answers.map(() => '{"n":1000000}'))
    await left.stop()
    await right.stop()
    await vi.waitFor(async () => expect(await readdir(shared.path)).toEqual([]))
  })

  it('answers many queries at once, keeps all digits, and binds any text', async () => {
    const queries = await open()
    const asked = Array.from({ length: 50 }, (_, index) =>
      queries.ask(
        {
          sql: `SELECT $a AS a, len($l) AS l, 12345678901234567.250000::DECIMAL(38, 6) AS d,
            -0.05::DECIMAL(38, 6) AS e, 100::DECIMAL(38, 6) AS f, NULL AS g, DATE '2026-11-14' AS h`,
          params: { a: `${index}'"`, l: [] },
          limit: 1,
        },
        never,
      ),
    )
    expect((await Promise.all(asked)).map(({ json }) => json.toString())).toEqual(
      asked.map((_, index) => {
        const rest = '"l":0,"d":12345678901234567.25,"e":-0.05,"f":100,"g":null,"h":"2026-11-14"'
        return `{"a":${JSON.stringify(`${index}'"`)},${rest}}`
      }),
    )
  })
})

describe('facts in a folder', async () => {
  const open = async (settings: { queryMsMax?: number; owner?: string } = {}) => {
    const facts = await openDuckdbFacts(
      {
        folder: join(folder, 'data'),
        owner: 'me',
        queryMsMax: 60_000,
        queryMemoryMb: 256,
        exportMemoryMb: 256,
        ...settings,
      },
      log,
    )
    atEnd(() => facts.close())
    return facts
  }
  const facts = await open()
  await facts.start()
  const portion = { account: 'acme', day: '2026-11-14' }
  await facts.addLoad(await makeDraft(auctions, 1, [portion]), { signal: never, onProgress: () => {} })
  const scope = { account: 'acme', visible: [{ day: portion.day, load: 1 }] }
  const query = makeQuery(auctions, { metrics: ['Auctions'] })
  const spilled = async () =>
    (await readdir(join(folder, 'data', 'spill'), { recursive: true })).filter((name) => name.includes('part-'))
  it('refuse other control data', async () => {
    await expect(open({ owner: 'another' })).rejects.toThrow('belong to other control data')
  })

  it('report a missing file, and one that is not Parquet, as an error without a crash', async () => {
    const gone = { account: 'acme', visible: [{ day: portion.day, load: 99 }] }
    await expect(facts.readRows(query, gone, { id: 'x', signal: never })).rejects.toMatchObject({
      trouble: 'away',
    })
    expect(await facts.readRows(query, scope, { id: 'x', signal: never })).toMatchObject({
      json: Buffer.from('{"Auctions":1}'),
    })
  })

  it('stop a query after its timeout', async () => {
    const impatient = await open({ queryMsMax: 50 })
    await impatient.start()
    const values = Array.from({ length: 500_000 }, (_, index) => `name ${index}`)
    const dimension = auctions.dimensions.find(({ column }) => column === 'country')!
    const long = { ...query, filters: [{ dimension, operator: 'in' as const, values }] }
    const asked = impatient.readRows(long, scope, { id: 'x', signal: never })
    await expect(asked).rejects.toMatchObject({ trouble: 'timeout' })
    // A busy machine may also take longer for the next one.
    const next = () => impatient.readRows(query, scope, { id: 'x', signal: never })
    await vi.waitFor(async () => expect(await next()).toMatchObject({ json: Buffer.from('{"Auctions":1}') }), {
      timeout: 10_000,
    })
  })

  it('leave no process, no file and no complete target after an export is cancelled', async () => {
    const before = await spilled()
    const stop = new AbortController()
    const target = new PassThrough({ highWaterMark: 1 })
    const making = facts.writeCsv(query, scope, target, {
      id: 'x',
      msMax: 60_000,
      signal: stop.signal,
      onProgress: () => {},
    })
    const refused = expect(making).rejects.toMatchObject({ trouble: 'cancelled' })
    const pids = await vi.waitFor(() => {
      const found = childrenOf(process.pid, 'export-child')
      expect(found).toHaveLength(1)
      return found
    })
    stop.abort()
    await refused
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]))
    expect(await spilled()).toEqual(before)
  })

  it('report the engine as away if the export process is killed', async () => {
    const before = await spilled()
    const target = new PassThrough({ highWaterMark: 1 })
    const making = facts.writeCsv(query, scope, target, { id: 'x', msMax: 60_000, signal: never, onProgress: () => {} })
    const refused = expect(making).rejects.toMatchObject({ trouble: 'away' })
    await vi.waitFor(() => {
      const [pid] = childrenOf(process.pid, 'export-child')
      expect(pid).toBeDefined()
      process.kill(pid!, 'SIGKILL')
    })
    await refused
    expect(await spilled()).toEqual(before)
  })

  it('stop an export after its timeout', async () => {
    const making = facts.writeCsv(query, scope, new PassThrough(), {
      id: 'x',
      msMax: 1,
      signal: never,
      onProgress: () => {},
    })
    await expect(making).rejects.toMatchObject({ trouble: 'timeout' })
  })
})
