import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import type { Cube } from '../catalog/cube.ts'
import { cubes } from '../catalog/cubes.ts'
import { openDuckdb } from '../duckdb/open-duckdb.ts'
import { openSpillFolder, type SpillFolder } from '../duckdb/spill-folder.ts'
import { copyTo } from '../duckdb/sql.ts'
import { interruptOn } from '../duckdb/watch-statements.ts'
import { loadFacts, type LoadDeps } from '../ingest/load-facts.ts'
import { addDays, countDays, dayOf, type Day } from '../query/day.ts'
import { oldestDayKept } from '../query/parse-range.ts'
import { countAccounts, findAccount, insertAccount } from '../store/accounts.ts'
import { findVisibleLoads } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'
import { demoPublishers } from './publishers.ts'
import { hasSample, sampleSql } from './sample-sql.ts'

type Options = {
  /** The number of days up to today; undefined for all that a report can reach. */
  readonly days: number | undefined
  readonly signal: AbortSignal
  /** Called with a share from 0 to 1. */
  readonly onProgress: (share: number) => void
}

/** Takes a few seconds. After an interruption, the next start continues with the days that are missing. */
const daysPerLoad = 100
const memoryMb = 1_024
/** The beginning of each step, as a share of the time of a load. Before the first step the file is made. */
const stepStarts = { Fetching: 0.3, Reading: 0.3, Writing: 0.5, Storing: 0.95 }

/**
 * Creates the sample accounts in an empty store and loads their missing days up to today, so that a demo that is started
 * again next week has recent data. Returns false for a store with other accounts, and changes nothing there.
 */
export async function loadDemo(deps: LoadDeps, { days, signal, onProgress }: Options): Promise<boolean> {
  const { store, now } = deps
  if ((await countAccounts(store)) === 0) {
    await store.transaction().execute(async (transaction) => {
      for (const { id, name } of demoPublishers) await insertAccount(transaction, { id, name, createdAt: now() })
    })
  }
  for (const { id } of demoPublishers) if (!(await findAccount(store, id))) return false

  const today = dayOf(now())
  const start = days === undefined ? oldestDayKept(today) : addDays(today, 1 - days)
  const missing = await Promise.all(
    cubes.filter(hasSample).map(async (cube) => ({ cube, ranges: await findMissingRanges(store, cube, start, today) })),
  )
  const daysAll = sumOf(missing.flatMap(({ ranges }) => ranges.map(daysOf)))
  const daysDone = new Map<Cube, number>()
  await using spill = await openSpillFolder(dirname(deps.draftsFolder))
  // All cubes at once, because much of a load uses only one core.
  await Promise.all(
    missing.map(async ({ cube, ranges }) => {
      let before = 0
      // The newest days first: a query meanwhile finds no gap.
      for (const range of ranges.toReversed()) {
        const onShare = (share: number): void => {
          daysDone.set(cube, before + share * daysOf(range))
          onProgress(sumOf([...daysDone.values()]) / daysAll)
        }
        await loadSample(deps, cube, range, { spill, signal, onShare }).catch(async (error: unknown) => {
          // Another server may have started at the same time and loaded them.
          if ((await findMissingRanges(store, cube, range.start, range.end)).length > 0) throw error
        })
        before += daysOf(range)
      }
    }),
  )
  return true
}

type DayRange = { readonly start: Day; readonly end: Day }

const daysOf = ({ start, end }: DayRange): number => countDays(start, end)
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0)

/** Makes a file of sample facts and loads it like any other. */
async function loadSample(
  deps: LoadDeps,
  cube: Cube,
  { start, end }: DayRange,
  { spill, signal, onShare }: { spill: SpillFolder; signal: AbortSignal; onShare: (share: number) => void },
): Promise<void> {
  signal.throwIfAborted()
  await using folder = await spill.open()
  const file = join(folder.path, `${cube.alias}.parquet`)
  onShare(0)
  await makeSample(file, sampleSql(cube, start, end), signal)
  await loadFacts(deps, cube, [file], {
    loadedBy: 'demo',
    signal,
    onProgress: ({ step, share = 0 }) => onShare(stepStarts[step] + (step === 'Writing' ? 0.45 * share : 0)),
  })
  onShare(1)
}

async function makeSample(file: string, select: string, signal: AbortSignal): Promise<void> {
  const folder = dirname(file)
  const threads = availableParallelism()
  await using duckdb = await openDuckdb({ memoryMb, threads, spillFolder: folder, folders: [folder] })
  using _ = interruptOn(signal, [duckdb.connection])
  await duckdb.connection.run(copyTo(file, select))
}

/** Finds the days that are missing, in ranges. A load has a day of all sample accounts, so one account is enough. */
async function findMissingRanges(store: Store, { name }: Cube, start: Day, end: Day): Promise<readonly DayRange[]> {
  const account = demoPublishers[0]?.id ?? ''
  const loaded = new Set((await findVisibleLoads(store, { cube: name, account, start, end })).map(({ day }) => day))
  const ranges: DayRange[] = []
  for (let day = start; day <= end; day = addDays(day, 1)) {
    const last = ranges.at(-1)
    if (loaded.has(day)) continue
    if (last && addDays(last.end, 1) === day && countDays(last.start, day) <= daysPerLoad) {
      ranges[ranges.length - 1] = { ...last, end: day }
    } else ranges.push({ start: day, end: day })
  }
  return ranges
}
