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
  /** How many days up to today; all that a report can reach when undefined. */
  readonly days: number | undefined
  readonly signal: AbortSignal
  /** Told a share from 0 to 1. */
  readonly onProgress: (share: number) => void
}

/** A few seconds of work: what is made so far survives an interruption, and the next start goes on from there. */
const daysPerLoad = 100
const memoryMb = 1_024
/** Where each step of a load begins, as a share of the time that one takes. The making of the file comes first. */
const stepStarts = { Fetching: 0.3, Reading: 0.3, Writing: 0.5, Storing: 0.95 }

/**
 * Makes the sample publishers in an empty store, and loads the days up to today that they lack: a demo started again
 * next week is as fresh as on its first day. Returns false in a store with other accounts, which it leaves alone.
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
  const daysAll = sumOf(missing.flatMap(({ ranges }) => ranges.map(countDaysOf)))
  const daysDone = new Map<Cube, number>()
  await using spill = await openSpillFolder(dirname(deps.draftsFolder))
  // The cubes at once: much of each load keeps only one core busy.
  await Promise.all(
    missing.map(async ({ cube, ranges }) => {
      let before = 0
      // The newest first: whoever asks meanwhile sees no gap.
      for (const range of ranges.toReversed()) {
        const onShare = (share: number): void => {
          daysDone.set(cube, before + share * countDaysOf(range))
          onProgress(sumOf([...daysDone.values()]) / daysAll)
        }
        await loadSample(deps, { cube, ...range }, { spill, signal, onShare }).catch(async (error: unknown) => {
          // Another server that started at the same moment may have been first.
          if ((await findMissingRanges(store, cube, range.start, range.end)).length > 0) throw error
        })
        before += countDaysOf(range)
      }
    }),
  )
  return true
}

type Range = { readonly start: Day; readonly end: Day }

type Making = {
  readonly spill: SpillFolder
  readonly signal: AbortSignal
  readonly onShare: (share: number) => void
}

const countDaysOf = ({ start, end }: Range): number => countDays(start, end)
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0)

/** Makes a file of sample facts and loads it like any other. */
async function loadSample(
  deps: LoadDeps,
  { cube, start, end }: Range & { readonly cube: Cube },
  { spill, signal, onShare }: Making,
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

/** A load brings a day for all the sample publishers, so one of them speaks for the others. */
async function findMissingRanges(store: Store, { name }: Cube, start: Day, end: Day): Promise<readonly Range[]> {
  const account = demoPublishers[0]?.id ?? ''
  const loaded = new Set((await findVisibleLoads(store, { cube: name, account, start, end })).map(({ day }) => day))
  const ranges: Range[] = []
  for (let day = start; day <= end; day = addDays(day, 1)) {
    const last = ranges.at(-1)
    if (loaded.has(day)) continue
    if (last && addDays(last.end, 1) === day && countDays(last.start, day) <= daysPerLoad) {
      ranges[ranges.length - 1] = { ...last, end: day }
    } else ranges.push({ start: day, end: day })
  }
  return ranges
}
