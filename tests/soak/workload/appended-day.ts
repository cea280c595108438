import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { account, daysAgo, metrics } from './account.ts'

const day = daysAgo(3)
/**
 * The loads of the day: one that replaces it, and sixteen that are appended, so that its files are merged twice. The next
 * load replaces it again.
 */
const loadsOfDay = 17

/** The loads are numbered. This many make the first merged file. */
export const firstMerged = 8

const isReplacing = (number: number): boolean => number % loadsOfDay === 0

/** Answered from rollups, and from facts: two dimensions are more than a rollup has. */
export const dayQueries = [['Day'], ['App Name', 'Country']].map((dimensions) => ({
  start: day,
  end: day,
  dimensions,
  metrics,
}))

/** Writes the file of a load, and returns the arguments that load it. */
export async function writeLoad(folder: string, number: number): Promise<readonly string[]> {
  const position = number % loadsOfDay
  const round = Math.floor(number / loadsOfDay)
  const file = join(folder, `load-${number}-of-day.csv`)
  const row = [account, day, `Load ${position}`, `Round ${round}`, 2 ** position, round + 0.25, `device ${number}`]
  await writeFile(file, `account,day,app_name,country,ad_requests,revenue,device_id\n${row.join(',')}\n`)
  return isReplacing(number) ? [file] : [file, '--append']
}

/**
 * Returns the number of the newest load in an answer, -1 if there is none, or undefined if the sums are not those of a
 * round's first loads: if a load is missing, counted twice, or of another round.
 */
export function newestLoadOf(answer: readonly Record<string, unknown>[]): number | undefined {
  if (answer.length === 0) return -1
  const sumOf = (metric: string): number => answer.reduce((sum, row) => sum + Number(row[metric]), 0)
  const loads = sumOf('Uniques')
  const round = sumOf('Adserver Revenue') / loads - 0.25
  const isWhole = Number.isInteger(round) && sumOf('Ad Requests') === 2 ** loads - 1
  return isWhole ? round * loadsOfDay + loads - 1 : undefined
}
