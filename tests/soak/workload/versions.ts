import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { account, daysAgo, metrics } from './account.ts'

/** The days that are replaced over and over by new versions. */
const days = [daysAgo(2), daysAgo(1)]
const rowsADay = 20_000
export const rowsOfReport = days.length * rowsADay
const devices = 100

/**
 * Every row and every device belongs to one version, so an answer from two versions, or from a part of one, has totals
 * that no version has.
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

export const totalsQuery = { start: days[0], end: days.at(-1), dimensions: ['Day'], metrics }
export const reportQuery = { ...totalsQuery, dimensions: ['Day', 'App Name'], limit: 1_000_000 }

/** Returns the version of an answer, or undefined if its totals match no version. */
export function versionOfTotals(answer: readonly Record<string, unknown>[]): number | undefined {
  const version = Number(answer[0]?.['Ad Requests']) / rowsADay - 1_000
  const sums = { 'Ad Requests': rowsADay * (1_000 + version), 'Adserver Revenue': rowsADay * (version + 0.25) }
  const expected = days.map((day) => ({ Day: day, ...sums, Uniques: devices }))
  return JSON.stringify(answer) === JSON.stringify(expected) ? version : undefined
}

export function versionOfReport(report: string): number | undefined {
  // ClickHouse quotes all texts, DuckDB none of these.
  const csv = report.replaceAll('"', '')
  const version = Number(csv.slice(0, 1_000).split('\r\n')[1]?.split(',')[2]) - 1_000
  const rows = rowsOf(version).map((row) => [row.day, row.app_name, row.ad_requests, row.revenue.toFixed(6), 1])
  const expected = [[...reportQuery.dimensions, ...metrics], ...rows].map((fields) => `${fields.join(',')}\r\n`)
  return csv === expected.join('') ? version : undefined
}

/** Writes two files, so that a load can be killed between them. One is compressed. */
export async function writeVersion(folder: string, version: number): Promise<readonly string[]> {
  const rows = rowsOf(version)
  const csv = [Object.keys(rows[0]!), ...rows.slice(rowsADay / 2).map((row) => Object.values(row))]
  const json = rows.slice(0, rowsADay / 2).map((row) => JSON.stringify(row))
  const files = ['csv', 'ndjson.gz'].map((ending) => join(folder, `version-${version}-of-days.${ending}`))
  await writeFile(files[0]!, csv.map((fields) => fields.join(',')).join('\n'))
  await writeFile(files[1]!, gzipSync(json.join('\n'), { level: 1 }))
  return files
}
