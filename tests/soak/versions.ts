import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { platformPerformance } from '../../src/catalog/platform-performance.ts'
import { addDays, dayOf } from '../../src/query/day.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import type { Store } from '../../src/store/open-store.ts'
import { makeKey } from '../setup/make-key.ts'

/**
 * Days that are replaced over and over, each time by another version of themselves, which every total of them tells:
 * a mix or a half of versions has totals that no version has.
 */

/** The narrower one, for the sake of emulated engines. */
export const cube = platformPerformance
const account = 'soak'
/** Two, so that a load can be half-way between them. */
const days = [addDays(dayOf(Date.now()), -2), addDays(dayOf(Date.now()), -1)]
const rowsADay = 150

const valuesOf = (version: number) => ({ ad_requests: 1_000 + version, revenue: version + 0.25 })

/** Several files, so that a load can be half-way between them, and one that has to be spooled. */
const formats = {
  csv: (rows: readonly Row[]) =>
    `${Object.keys(rows[0] ?? {}).join(',')}\n${rows.map((row) => `${Object.values(row).join(',')}\n`).join('')}`,
  'ndjson.gz': (rows: readonly Row[]) => gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
  'parquet.gz': (rows: readonly Row[]) => {
    const data = <Type>(pick: (row: Row) => Type): Type[] => rows.map(pick)
    const columnData = [
      { name: 'account', data: data((row) => row.account), type: 'STRING' as const },
      { name: 'day', data: data((row) => row.day), type: 'STRING' as const },
      { name: 'country', data: data((row) => row.country), type: 'STRING' as const },
      { name: 'ad_requests', data: data((row) => BigInt(row.ad_requests)), type: 'INT64' as const },
      { name: 'revenue', data: data((row) => row.revenue), type: 'DOUBLE' as const },
    ]
    return gzipSync(new Uint8Array(parquetWriteBuffer({ columnData })))
  },
}
type Format = keyof typeof formats
type Row = ReturnType<typeof rowsOf>[number]

const rowsOf = (version: number) =>
  days.flatMap((day) =>
    Array.from({ length: rowsADay }, (_, index) => ({ account, day, country: `C${index}`, ...valuesOf(version) })),
  )

export async function writeVersion(folder: string, version: number, endings: readonly Format[]): Promise<string[]> {
  const rows = rowsOf(version)
  return Promise.all(
    endings.map(async (ending, file) => {
      const path = join(folder, `version-${version}-${file}.${ending}`)
      await writeFile(path, formats[ending](rows))
      return path
    }),
  )
}

/** As many rows as files of this many formats hold. */
export const countRows = (files: number): number => files * days.length * rowsADay

const describeAnswer = (answer: readonly Record<string, unknown>[]): string =>
  JSON.stringify(answer.toSorted((a, b) => String(a.Day).localeCompare(String(b.Day))))

/** The version that all days of an answer are, or else the answer itself. */
export function versionOf(answer: readonly Record<string, unknown>[], files: number, newest: number): number | string {
  const text = describeAnswer(answer)
  for (let version = newest; version >= 0; version--) {
    const { ad_requests: requests, revenue } = valuesOf(version)
    const rows = files * rowsADay
    const totals = days.map((day) => ({ Day: day, 'Ad Requests': rows * requests, 'Adserver Revenue': rows * revenue }))
    if (text === describeAnswer(totals)) return version
  }
  return text
}

export async function makeSoakKey(store: Store): Promise<string> {
  await insertAccount(store, { id: account, name: 'Soak', createdAt: Date.now() })
  return makeKey(store, account, Date.now())
}

/** The totals of the days, as anybody may ask for them. */
export async function askTotals(
  url: string,
  key: string,
): Promise<{ readonly status: number; readonly data: Record<string, unknown>[] }> {
  const query = { start: days[0], end: days.at(-1), dimensions: ['Day'], metrics: ['Ad Requests', 'Adserver Revenue'] }
  const response = await fetch(`${url}/v2/data/synchronous?cube=${cube.alias}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(query),
  })
  const body = (await response.json()) as { data?: Record<string, unknown>[] }
  return { status: response.status, data: body.data ?? [] }
}

/** `adcube load`, in a process of its own. */
export function startLoad(files: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'load', cube.alias, ...files, '--json'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)))
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  return { child, output, exited }
}
