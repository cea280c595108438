import { Readable } from 'node:stream'
import type { Cube } from '../catalog/cube.ts'
import { cubes } from '../catalog/cubes.ts'
import type { Engine } from '../engine/engine.ts'
import { loadFacts } from '../ingest/load-facts.ts'
import { addDays, countDays, dayOf, type Day } from '../query/day.ts'
import { oldestDayKept } from '../query/parse-range.ts'
import { countAccounts, findAccount, insertAccount } from '../store/accounts.ts'
import { findVisibleLoads } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'
import { demoPublishers } from './publishers.ts'
import { sampleDay, sampleHeader } from './sample-facts.ts'

type Deps = { readonly engine: Engine; readonly store: Store; readonly now: () => number }

type Options = {
  /** How many days up to today; all that a report can reach when undefined. */
  readonly days: number | undefined
  readonly onProgress: (done: { readonly days: number; readonly daysAll: number; readonly rows: number }) => void
}

/** A second or so of work: what is made so far survives an interruption, and the next start goes on from there. */
const daysPerLoad = 25

/**
 * Makes the sample publishers in an empty store, and loads the days up to today that they lack: a demo started again
 * next week is as fresh as on its first day. Returns false in a store with other accounts, which it leaves alone.
 */
export async function loadDemo(deps: Deps, { days, onProgress }: Options): Promise<boolean> {
  const { store, now } = deps
  if ((await countAccounts(store)) === 0) {
    await store.transaction().execute(async (transaction) => {
      for (const { id, name } of demoPublishers) await insertAccount(transaction, { id, name, createdAt: now() })
    })
  }
  for (const { id } of demoPublishers) if (!(await findAccount(store, id))) return false

  const today = dayOf(now())
  const start = days === undefined ? oldestDayKept(today) : addDays(today, 1 - days)
  const missing = await Promise.all(cubes.map((cube) => findMissingDays(store, cube, start, today)))
  const daysAll = missing.flat().length
  let daysDone = 0
  let rows = 0
  if (daysAll > 0) onProgress({ days: 0, daysAll, rows })
  // A load at a time for each cube: the engine takes in one while the other is being made.
  await Promise.all(
    cubes.map(async (cube, index) => {
      for (const chunk of chunksOf(missing[index] ?? [], daysPerLoad)) {
        const loaded = await loadFacts(deps, cube, {
          name: 'sample',
          stream: Readable.from(sampleCsv(cube, chunk)),
        })
        rows += loaded.rows
        daysDone += chunk.length
        onProgress({ days: daysDone, daysAll, rows })
      }
    }),
  )
  return true
}

/** A load brings a day for all the sample publishers, so one of them speaks for the others. */
async function findMissingDays(store: Store, { name }: Cube, start: Day, end: Day): Promise<readonly Day[]> {
  const account = demoPublishers[0]?.id ?? ''
  const loaded = new Set((await findVisibleLoads(store, { cube: name, account, start, end })).map(({ day }) => day))
  return Array.from({ length: countDays(start, end) }, (_, index) => addDays(start, index)).filter(
    (day) => !loaded.has(day),
  )
}

function* sampleCsv(cube: Cube, days: readonly Day[]): Generator<string> {
  yield sampleHeader(cube)
  for (const day of days) {
    yield demoPublishers.map((publisher) => sampleDay(cube, publisher, day)).join('')
  }
}

const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
