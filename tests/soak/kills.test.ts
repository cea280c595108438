import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import { openFacts } from '../../src/facts/open-facts.ts'
import { sweepDrafts, sweepFacts } from '../../src/ingest/sweep-facts.ts'
import { openFolderStorage } from '../../src/reports/storage.ts'
import { sweepReports } from '../../src/reports/sweep-reports.ts'
import { findSecret } from '../../src/store/secrets.ts'
import { atEnd } from '../setup/at-end.ts'
import { canStart, startServer } from '../clickhouse/start-server.ts'
import { childrenOf } from '../setup/children.ts'
import { openPostgres } from '../setup/postgres.ts'
import { isAlive } from '../setup/serve.ts'
import { say, seed, tellSeed } from './seed.ts'
import { openWorkload } from './workload.ts'

/** Number of kills of each kind. */
const kills = Number(process.env.SOAK_KILLS ?? 10)
const recoveryMsMax = 2_000
const patience = { timeout: 300_000, interval: 20 }

let state = seed
const chance = (): number => {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31
  return state / 2 ** 31
}
const anyMoment = (ms: number): Promise<void> => delay(chance() * ms)

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}

/** Starts DuckDB to see how busy the machine is. Recovery may take three times as long as this. */
const startDuckdb = () =>
  promisify(execFile)(process.execPath, [
    '-e',
    "import('@duckdb/node-api').then((duckdb) => duckdb.DuckDBInstance.create())",
  ])

const toSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** Where the control data and the facts are. */
const places = ['SQLite and files', 'PostgreSQL and files', 'SQLite and ClickHouse'] as const

it.for(places.filter((place) => canStart || !place.includes('ClickHouse')))(
  `nothing is lost, mixed up or left over when each kind of process is killed ${kills} times, with data in %s`,
  async (place) => {
    tellSeed('kills.test.ts', { SOAK_KILLS: kills })
    const postgres = place.startsWith('PostgreSQL') ? await openPostgres() : undefined
    if (postgres) atEnd(() => postgres.remove())
    const clickhouse = place.endsWith('ClickHouse') ? await startServer() : undefined
    if (clickhouse) atEnd(() => clickhouse.stop())
    const workload = await openWorkload({
      ...(postgres && { databaseUrl: `${postgres.url}postgres` }),
      ...(clickhouse && { clickhouse }),
    })
    const { folder, store, serve, ask, askAppended, load, append, report, repeat } = workload
    let worker = workload.work()
    const workers = [worker]
    let server = serve()
    const outputs = [server.output]
    let url = await server.address()
    await load()
    for (const isRepeat of [false, true]) {
      repeat(() => ask(url, isRepeat))
      repeat(() => askAppended(url, isRepeat))
    }
    for (let count = 0; count < 3; count++) repeat(() => report(url))
    repeat(load)
    repeat(append)

    const untilAnswered = () => vi.waitFor(async () => expect(await ask(url)).toBe(200), patience)
    const slowestMs = { query: 0, server: 0, elsewhere: 0 }
    /** Kills the next process that starts, before it ends by itself. */
    const spansMs = { export: 500, loader: 2_000 }
    const killNext = async (kind: keyof typeof spansMs, list: () => readonly number[]): Promise<void> => {
      for (;;) {
        const before = new Set(list())
        const pid = await vi.waitUntil(() => list().find((each) => !before.has(each)), patience)
        await anyMoment(spansMs[kind])
        const isThere = list().includes(pid) && isAlive(pid) && process.kill(pid, 'SIGKILL')
        // The pause depends on how long such a process takes on this machine.
        spansMs[kind] *= isThere ? 1.3 : 0.8
        if (isThere) return
      }
    }
    const elsewhere = postgres ?? clickhouse
    const victims: Record<string, () => Promise<void>> = {
      // With ClickHouse, we have no processes for queries and reports.
      ...(!clickhouse && {
        async query() {
          await anyMoment(2_000)
          const pid = server.queryPid()
          process.kill(pid, 'SIGKILL')
          const [ms, startMs] = await Promise.all([timeOf(untilAnswered), timeOf(startDuckdb)])
          // The log is written a moment later.
          await vi.waitFor(() => expect(server.queryPid()).not.toBe(pid), { timeout: 5_000 })
          slowestMs.query = Math.max(slowestMs.query, ms)
          if (ms > recoveryMsMax) say(`an answer after ${toSeconds(ms)}; DuckDB took ${toSeconds(startMs)}`)
          expect(ms).toBeLessThanOrEqual(Math.max(recoveryMsMax, 3 * startMs))
        },
        export: () =>
          killNext('export', () => [server, worker].flatMap(({ child }) => childrenOf(child.pid!, 'export-child'))),
      }),
      loader: () => killNext('loader', () => [...workload.loaders].map(({ pid }) => pid!)),
      async worker() {
        await anyMoment(2_000)
        const children = childrenOf(worker.child.pid!, '-child')
        worker.child.kill('SIGKILL')
        await worker.ended
        worker = workload.work()
        workers.push(worker)
        await vi.waitFor(() => expect(children.filter(isAlive)).toEqual([]), patience)
      },
      ...(elsewhere && {
        async elsewhere() {
          await anyMoment(2_000)
          await workload.whileAway(async () => {
            await elsewhere.kill()
            await anyMoment(2_000)
            await elsewhere.start()
          })
          slowestMs.elsewhere = Math.max(slowestMs.elsewhere, await timeOf(untilAnswered))
        },
      }),
      async server() {
        await anyMoment(2_000)
        const children = childrenOf(server.child.pid!, '-child')
        const exited = once(server.child, 'exit')
        server.child.kill('SIGKILL')
        await exited
        const ms = await timeOf(async () => {
          server = serve()
          outputs.push(server.output)
          url = await server.address()
          await untilAnswered()
        })
        slowestMs.server = Math.max(slowestMs.server, ms)
        await vi.waitFor(() => expect(children.filter(isAlive)).toEqual([]), patience)
      },
    }
    for (let round = 1; round <= kills; round++) {
      const order = Object.values(victims).map((kill) => ({ kill, rank: chance() }))
      for (const { kill } of order.toSorted((a, b) => a.rank - b.rank)) {
        await kill()
        expect(workload.strange.slice(0, 3)).toEqual([])
      }
      say(`round ${round} of ${kills}, load average ${loadavg()[0]?.toFixed(1)}`)
    }
    await workload.finish([url])
    say(
      `slowest answer after the end of the query process ${toSeconds(slowestMs.query)}, ` +
        `after the start of a server ${toSeconds(slowestMs.server)}, of PostgreSQL or ClickHouse ${toSeconds(slowestMs.elsewhere)}`,
    )
    // While the server starts, there is no answer; while the query process starts, a 503.
    expect(new Set([200, 503, 0]).isSupersetOf(new Set(workload.statuses.keys()))).toBe(true)

    // Move the clock ahead, so that dead loaders are given up and replaced facts are removed.
    const log = pino({ level: 'silent' })
    const owner = (await findSecret(store, 'engine-owner')).toString('hex')
    const away = { clickhouseUrl: clickhouse?.url, clickhouseReaderUrl: clickhouse?.readerUrl }
    const limits = { queryMsMax: 1_000, queryMemoryMb: 256, exportMemoryMb: 256 }
    const facts = await openFacts({ folder, owner, ...away, ...limits }, log)
    const now = (): number => Date.now() + 20 * 60_000
    await sweepFacts({ facts, store, log, now })
    await sweepDrafts({ store, draftsFolder: join(folder, 'drafts') })
    await facts.close()
    await sweepReports({ store, storage: await openFolderStorage(join(folder, 'reports'), owner) })

    const filesIn = async (name: string): Promise<Set<string>> => {
      const entries = await readdir(join(folder, name), { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => !entry.isDirectory())
      return new Set(files.map((file) => relative(join(folder, name), join(file.parentPath, file.name))))
    }
    const visible = await store.selectFrom('visibleLoads').selectAll().execute()
    const factFiles = visible.flatMap(({ loadId: load, accountId: account, day }) => {
      const place = `platform-performance/${load}/account=${account}/day=${day}`
      return [`${place}/facts_0.parquet`, `${place}/facts_0.rollup`]
    })
    if (!clickhouse) {
      const stored = [...(await filesIn('facts'))].filter((file) => !file.startsWith('merged/'))
      expect(new Set(stored)).toEqual(new Set(['owner', ...factFiles]))
    }
    const made = await store.selectFrom('jobs').select('file').where('state', '=', 'SUCCESS').execute()
    expect(await filesIn('reports')).toEqual(new Set(['owner', ...made.map(({ file }) => file)]))
    expect(await readdir(join(folder, 'drafts'))).toEqual([])
    expect(await readdir(workload.temporary)).toEqual([])
    if (!clickhouse) {
      const spillOwners = (await readdir(join(folder, 'spill'))).map((name) => Number(name.split('-').at(-2)))
      expect(new Set(spillOwners)).toEqual(new Set([server.child.pid, worker.child.pid]))
      expect(await filesIn('spill')).toEqual(new Set())
    }
    expect(await ask(url)).toBe(200)
    expect(await workload.verify()).toMatchObject({ code: 0 })

    const children = [server, worker].flatMap(({ child }) => childrenOf(child.pid!, ''))
    const exited = once(server.child, 'exit')
    server.child.kill('SIGTERM')
    worker.child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect((await worker.ended).code).toBe(0)
    if (!clickhouse) expect(await readdir(join(folder, 'spill'))).toEqual([])
    expect(children.filter(isAlive)).toEqual([])

    const told = [...outputs, ...(await Promise.all(workers.map(({ ended }) => ended)))]
    const lines = told.flatMap(({ stderr }) => stderr.split('\n')).filter((line) => line.includes('"level":50'))
    const errors = new Set(lines.map((line): string => JSON.parse(line).msg))
    const expected = ['engine_away', 'query process ended; starting another']
    const expectedWithout = ['store_away', 'report worker failed; retrying', 'report attempt failed']
    expect(errors.difference(new Set([...expected, ...(elsewhere ? expectedWithout : [])]))).toEqual(new Set())
  },
)
