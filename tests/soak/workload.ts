import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, vi } from 'vitest'
import { platformPerformance as cube } from '../../src/catalog/platform-performance.ts'
import { addDays, dayOf } from '../../src/query/day.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { openStore } from '../../src/store/open-store.ts'
import { atEnd } from '../setup/at-end.ts'
import { makeKey } from '../setup/make-key.ts'
import { openFolder } from '../setup/serve.ts'

const account = 'soak'
const days = [-2, -1].map((back) => addDays(dayOf(Date.now()), back))
const rowsADay = 20_000
const devices = 100
/** A job fails after five attempts, including those that ended with their server. */
const attemptsMax = 5
const pauseMs = 50

/**
 * Two days are replaced over and over by new versions. Every row and every device belongs to one version, so an answer
 * from two versions, or from a part of one, has totals that no version has.
 */
const rowsOf = (version: number) =>
  days.flatMap((day) =>
    Array.from({ length: rowsADay }, (_, index) => ({
      account,
      day,
      app_name: `App ${String(index).padStart(6, '0')}`,
      ad_requests: 1_000 + version,
      revenue: version + 0.25,
      device_id: `${version}-${index % devices}`,
    })),
  )

const metrics = ['Ad Requests', 'Adserver Revenue', 'Uniques']
const totalsQuery = { start: days[0], end: days.at(-1), dimensions: ['Day'], metrics }
const reportQuery = { ...totalsQuery, dimensions: ['Day', 'App Name'], limit: 1_000_000 }

/** Returns the version of an answer, or undefined if its totals match no version. */
function versionOfTotals(answer: readonly Record<string, unknown>[]): number | undefined {
  const version = Number(answer[0]?.['Ad Requests']) / rowsADay - 1_000
  const sums = { 'Ad Requests': rowsADay * (1_000 + version), 'Adserver Revenue': rowsADay * (version + 0.25) }
  const expected = days.map((day) => ({ Day: day, ...sums, Uniques: devices }))
  return JSON.stringify(answer) === JSON.stringify(expected) ? version : undefined
}

function versionOfReport(csv: string): number | undefined {
  const version = Number(csv.slice(0, 1_000).split('\r\n')[1]?.split(',')[2]) - 1_000
  const rows = rowsOf(version).map((row) => [row.day, row.app_name, row.ad_requests, row.revenue.toFixed(6), 1])
  const expected = [[...reportQuery.dimensions, ...metrics], ...rows].map((fields) => `${fields.join(',')}\r\n`)
  return csv === expected.join('') ? version : undefined
}

/** Writes two files, so that a load can be killed between them. One is compressed. */
async function writeVersion(folder: string, version: number): Promise<readonly string[]> {
  const rows = rowsOf(version)
  const csv = [Object.keys(rows[0]!), ...rows.slice(rowsADay / 2).map((row) => Object.values(row))]
  const json = rows.slice(0, rowsADay / 2).map((row) => JSON.stringify(row))
  const files = ['csv', 'ndjson.gz'].map((ending) => join(folder, `version-${version}-of-days.${ending}`))
  await writeFile(files[0]!, csv.map((fields) => fields.join(',')).join('\n'))
  await writeFile(files[1]!, gzipSync(json.join('\n'), { level: 1 }))
  return files
}

/**
 * Loads, queries and reports on a data folder, with checks of every answer. If the control data is in a PostgreSQL, it
 * may stop at any time, and loads may fail then.
 */
export async function openWorkload(databaseUrl?: string) {
  const { folder, serve, begin } = await openFolder()
  const temporary = join(folder, 'tmp')
  const input = join(folder, 'input')
  for (const each of [temporary, input]) await mkdir(each)
  const env = {
    TMPDIR: temporary,
    ADCUBE_RATE_LIMITS: 'off',
    // No cache, so that every answer comes from the engine, which is killed.
    ADCUBE_CACHE_MB: '0',
    ADCUBE_ROLLUP_FACTS: '1',
    ADCUBE_EXPORT_FREE_MB: '0',
    ...(databaseUrl !== undefined && { ADCUBE_DATABASE_URL: databaseUrl }),
  }
  const store = await openStore({ folder, databaseUrl })
  atEnd(() => store.destroy())
  await insertAccount(store, { id: account, name: 'Soak', rateFactor: 1_000, createdAt: Date.now() })
  const headers = { 'x-api-key': await makeKey(store, account, Date.now()), 'content-type': 'application/json' }

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

  const post = async (url: string, path: string, query: object): Promise<{ status: number; body: any }> => {
    try {
      const init = { method: 'POST', headers, body: JSON.stringify(query), signal: AbortSignal.timeout(60_000) }
      const response = await fetch(`${url}/v2/data/${path}?cube=${cube.alias}`, init)
      return { status: response.status, body: await response.json() }
    } catch {
      return { status: 0, body: undefined }
    }
  }

  /** Queries the totals of the days. */
  const ask = async (url: string): Promise<number> => {
    const knownBefore = known.length
    const { status, body } = await post(url, 'synchronous', totalsQuery)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const version = status === 200 ? versionOfTotals(body.data) : undefined
    if (version !== undefined) {
      known.push(version)
      seen.push({ version, knownBefore })
    } else if (status === 200) strange.push(`an answer of no version: ${JSON.stringify(body.data)}`)
    return status
  }

  /** Replaces the days with the next version. */
  const load = async (): Promise<void> => {
    const version = ++newest
    const files = await writeVersion(input, version)
    const { child, ended } = begin(['load', cube.alias, ...files, '--json'], env)
    loaders.add(child)
    const { code, stderr } = await ended
    loaders.delete(child)
    for (const file of files) await rm(file)
    // A loader that loses the control database cannot know whether its load became visible.
    const isBroken = databaseUrl !== undefined && code !== 0 && !stderr.includes('begun later')
    if (child.signalCode === 'SIGKILL' || isBroken) killed.push(version)
    else if (code === 0) {
      known.push(version)
      acknowledged.push(version)
    } else if (stderr.includes('begun later')) overtaken++
    else throw new Error(`the load of version ${version} ended with ${code}: ${stderr}`)
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
    const { status, body } = await post(url, 'asynchronous', reportQuery)
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
    over.abort()
    await Promise.all(loops)
    await untilJobsEnd()
    for (const url of urls) expect(await ask(url)).toBe(200)
    expect(strange).toEqual([])

    const loads = await store.selectFrom('loads').select(['id', 'files']).where('state', '=', 'visible').execute()
    const loadOf = new Map(loads.map(({ id, files }) => [Number(/version-(\d+)-/.exec(files)?.[1]), id]))
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
      expect(rows).toBe(days.length * rowsADay)
      const version = versionOfReport(csv.toString()) ?? NaN
      const knownBefore = accepted.get(id) ?? 0
      expect(isCurrent({ version, knownBefore }), `${file} is of version ${version}`).toBe(true)
    }
    const failed = jobs.filter(({ state }) => state === 'FAILED')
    expect(failed.filter((job) => !job.failureReason || job.attempts < attemptsMax)).toEqual([])
    process.stderr.write(
      `${newest + 1} versions: ${acknowledged.length} loaded, ${overtaken} overtaken by a later load, ` +
        `${killed.length} killed or broken off, of which ${killed.filter((version) => loadOf.has(version)).length} after they were visible\n` +
        `answers by status: ${JSON.stringify(Object.fromEntries(statuses))}, of ${new Set(known).size} versions\n` +
        `${jobs.length} jobs, ${accepted.size} acknowledged: ${made.length} reports made, ${failed.length} failed\n`,
    )
  }

  return {
    folder,
    temporary,
    store,
    serve: () => serve([], env),
    work: () => begin(['worker'], env),
    verify: () => begin(['verify', '--json'], env).ended,
    ask,
    load,
    report,
    repeat,
    finish,
    loaders,
    strange,
    statuses,
  }
}
