import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { expect, vi } from 'vitest'
import { platformPerformance as cube } from '../../src/catalog/platform-performance.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { openStore } from '../../src/store/open-store.ts'
import { atEnd } from '../setup/at-end.ts'
import { makeKey } from '../setup/make-key.ts'
import { openFolder } from '../setup/serve.ts'
import { account } from './workload/account.ts'
import { dayQueries, firstMerged, newestLoadOf, writeLoad } from './workload/appended-day.ts'
import { openTls } from './workload/post.ts'
import {
  reportQuery,
  rowsOfReport,
  totalsQuery,
  versionOfReport,
  versionOfTotals,
  writeVersion,
} from './workload/versions.ts'

/** A job fails after five attempts, including those that ended with their server. */
const attemptsMax = 5
const pauseMs = 50
/** The most that a synchronous query may ask for. Each limit makes another query, which is not answered from memory. */
const rowsMax = 1_000

/** How a load ends that loses PostgreSQL or ClickHouse. */
const awayForms =
  /cannot be reached|ECONN|EPIPE|Connection terminated|terminating connection|starting up|recovery mode|away/

type Elsewhere = {
  readonly databaseUrl?: string
  readonly clickhouse?: { readonly url: string; readonly readerUrl: string }
}

/**
 * Loads, queries and reports on a data folder, with checks of every answer. If the control data is in a PostgreSQL or the
 * facts are in a ClickHouse, these may be away at any time, and loads may fail then.
 */
export async function openWorkload({ databaseUrl, clickhouse }: Elsewhere = {}) {
  const { folder, serve, begin } = await openFolder()
  const temporary = join(folder, 'tmp')
  const input = join(folder, 'input')
  for (const each of [temporary, input]) await mkdir(each)
  const store = await openStore({ folder, databaseUrl })
  atEnd(() => store.destroy())
  await insertAccount(store, { id: account, name: 'Soak', rateFactor: 1_000, createdAt: Date.now() })
  const tls = await openTls(input, await makeKey(store, account, Date.now()))
  const env = {
    TMPDIR: temporary,
    ADCUBE_RATE_LIMITS: 'off',
    ADCUBE_ROLLUP_FACTS: '1',
    ADCUBE_EXPORT_FREE_MB: '0',
    ...(databaseUrl !== undefined && { ADCUBE_DATABASE_URL: databaseUrl }),
    ...(clickhouse && { ADCUBE_CLICKHOUSE_URL: clickhouse.url, ADCUBE_CLICKHOUSE_READER_URL: clickhouse.readerUrl }),
  }

  /** Wrong answers, and wrong outcomes of loads. */
  const strange: string[] = []
  /** Versions known to be visible, from the end of a load or from an answer, in this order. */
  const known: number[] = []
  /** Versions in answers, with the number of known versions when the query was sent. */
  const seen: { readonly version: number; readonly knownBefore: number }[] = []
  /** Accepted jobs, with the number of known versions when each was submitted. */
  const accepted = new Map<string, number>()
  const acknowledged: number[] = []
  const killed: number[] = []
  /** Number of answers by status; 0 is no answer. */
  const statuses = new Map<number, number>()
  const loaders = new Set<ChildProcess>()
  let newest = -1
  let overtaken = 0
  /** The newest load of the appended day that was begun, and that is known to be visible. */
  const appended = { begun: -1, known: -1, killed: 0 }
  let limit = rowsMax
  /** When PostgreSQL or ClickHouse was last away. */
  let awayUntil = -Infinity

  /** Queries the API. Without `isRepeat`, the answer comes from the engine, not from memory. */
  const query = async (url: string, body: object, isRepeat = false) => {
    limit = limit > rowsMax / 2 ? limit - 1 : rowsMax
    const asked = isRepeat ? body : { ...body, limit }
    const answer = await tls.post(`${url}/v2/data/synchronous?cube=${cube.alias}`, asked)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    return { status: answer.status, data: answer.status === 200 ? answer.body.data : undefined }
  }

  /** Queries the totals of the replaced days. */
  const ask = async (url: string, isRepeat?: boolean): Promise<number> => {
    const knownBefore = known.length
    const { status, data } = await query(url, totalsQuery, isRepeat)
    const version = data && versionOfTotals(data)
    if (version !== undefined) {
      known.push(version)
      seen.push({ version, knownBefore })
    } else if (data) strange.push(`an answer of no version: ${JSON.stringify(data)}`)
    return status
  }

  /** Queries the appended day, from rollups and from facts. */
  const askAppended = async (url: string, isRepeat?: boolean): Promise<void> => {
    for (const each of dayQueries) {
      const knownBefore = appended.known
      const { data } = await query(url, each, isRepeat)
      if (!data) continue
      const number = newestLoadOf(data)
      if (number === undefined || number < knownBefore || number > appended.begun)
        strange.push(`not loads ${knownBefore} to ${appended.begun} of the appended day: ${JSON.stringify(data)}`)
      else appended.known = Math.max(appended.known, number)
    }
  }

  /** Runs a load. It may fail only because it was killed, or because PostgreSQL or ClickHouse was away. */
  const runLoad = async (args: readonly string[]): Promise<'loaded' | 'killed' | 'overtaken'> => {
    const begun = Date.now()
    const { child, ended } = begin(['load', cube.alias, ...args, '--json'], env)
    loaders.add(child)
    const { code, stderr } = await ended
    loaders.delete(child)
    if (child.signalCode === 'SIGKILL') return 'killed'
    if (code === 0) return 'loaded'
    if (stderr.includes('begun later')) return 'overtaken'
    if (awayUntil > begun && awayForms.test(stderr)) return 'killed'
    throw new Error(`the load ${args.join(' ')} ended with ${code}: ${stderr}`)
  }

  /** Replaces the days with the next version. */
  const load = async (): Promise<void> => {
    const version = ++newest
    const files = await writeVersion(input, version)
    const outcome = await runLoad(files)
    for (const file of files) await rm(file)
    if (outcome === 'killed') killed.push(version)
    else if (outcome === 'overtaken') overtaken++
    else {
      known.push(version)
      acknowledged.push(version)
    }
  }

  /** Loads the next file of the appended day. If the load is killed, it is repeated, and must not count twice. */
  const append = async (): Promise<void> => {
    const number = ++appended.begun
    const args = await writeLoad(input, number)
    while ((await runLoad(args)) !== 'loaded') appended.killed++
    await rm(args[0]!)
    appended.known = Math.max(appended.known, number)
  }

  const untilJobsEnd = (id = '%') =>
    vi.waitFor(
      async () => {
        const underWay = store.selectFrom('jobs').select('id').where('state', '=', 'PROCESSING')
        expect(await underWay.where('id', 'like', id).execute()).toEqual([])
      },
      { timeout: 600_000, interval: 200 },
    )

  /** Starts a report. */
  const report = async (url: string): Promise<void> => {
    const knownBefore = known.length
    const { status, body } = await tls.post(`${url}/v2/data/asynchronous?cube=${cube.alias}`, reportQuery)
    if (status !== 202) return
    accepted.set(body.job_id, knownBefore)
    await untilJobsEnd(body.job_id)
  }

  const over = new AbortController()
  const loops: Promise<void>[] = []
  const repeat = (work: () => Promise<unknown>): void => {
    const loop = async (): Promise<void> => {
      while (!over.signal.aborted) {
        await work()
        // Loaders and exports have a low priority, so queries without a pause would leave them no time.
        await delay(pauseMs)
      }
    }
    loops.push(loop().catch((error: unknown) => void strange.push(String(error))))
  }

  /** Stops the workload, waits for every job, and compares the answers with the loads that became visible. */
  const finish = async (urls: readonly string[]): Promise<void> => {
    await vi.waitUntil(() => appended.known >= firstMerged || strange.length > 0, { timeout: 600_000 })
    over.abort()
    await Promise.all(loops)
    await untilJobsEnd()
    for (const url of urls) {
      expect(await ask(url)).toBe(200)
      for (const isRepeat of [false, true]) await askAppended(url, isRepeat)
    }
    expect(strange.slice(0, 3)).toEqual([])
    expect(appended.known).toBe(appended.begun)

    const loads = await store.selectFrom('loads').select(['id', 'files']).where('state', '=', 'visible').execute()
    const loadOf = new Map(
      loads.flatMap(({ id, files }) => {
        const version = /version-(\d+)-/.exec(files)?.[1]
        return version === undefined ? [] : [[Number(version), id] as const]
      }),
    )
    expect(acknowledged.filter((version) => !loadOf.has(version))).toEqual([])
    expect(loadOf.get(known.at(-1)!)).toBe(Math.max(...loadOf.values()))
    // Loads replace each other in the order of their numbers, so no answer may have a lower one than was known before.
    const floors = [-1]
    for (const version of known) floors.push(Math.max(floors.at(-1)!, loadOf.get(version) ?? Infinity))
    const isCurrent = ({ version, knownBefore }: (typeof seen)[number]): boolean =>
      (loadOf.get(version) ?? NaN) >= floors[knownBefore]!
    expect(seen.filter((each) => !isCurrent(each))).toEqual([])

    const jobs = await store.selectFrom('jobs').selectAll().execute()
    expect(jobs.map(({ id }) => id)).toEqual(expect.arrayContaining([...accepted.keys()]))
    const made = jobs.filter(({ state }) => state === 'SUCCESS')
    expect(made).not.toEqual([])
    for (const { id, file, rows, bytes, checksum } of made) {
      const csv = gunzipSync(await readFile(join(folder, 'reports', file ?? '')))
      expect([csv.length, createHash('sha256').update(csv).digest('hex')]).toEqual([bytes, checksum])
      expect(rows).toBe(rowsOfReport)
      const version = versionOfReport(csv.toString()) ?? NaN
      const knownBefore = accepted.get(id) ?? 0
      expect(isCurrent({ version, knownBefore }), `${file} is of version ${version}`).toBe(true)
    }
    const failed = jobs.filter(({ state }) => state === 'FAILED')
    expect(failed.filter((job) => !job.failureReason || job.attempts < attemptsMax)).toEqual([])
    process.stderr.write(
      `${newest + 1} versions: ${acknowledged.length} loaded, ${overtaken} overtaken by a later load, ` +
        `${killed.length} killed or broken off, of which ${killed.filter((version) => loadOf.has(version)).length} after they were visible\n` +
        `${appended.begun + 1} loads of the appended day, repeated ${appended.killed} times after a kill\n` +
        `answers by status: ${JSON.stringify(Object.fromEntries(statuses))}, of ${new Set(known).size} versions\n` +
        `${jobs.length} jobs, ${accepted.size} acknowledged: ${made.length} reports made, ${failed.length} failed\n`,
    )
  }

  return {
    folder,
    temporary,
    store,
    serve: () => serve([], { ...env, ...tls.env }),
    work: () => begin(['worker'], env),
    verify: () => begin(['verify', '--json'], env).ended,
    ask,
    askAppended,
    load,
    append,
    report,
    repeat,
    finish,
    loaders,
    strange,
    statuses,
    /** Runs something during which PostgreSQL or ClickHouse is away. */
    async whileAway(run: () => Promise<unknown>): Promise<void> {
      awayUntil = Infinity
      await run()
      awayUntil = Date.now()
    },
  }
}
