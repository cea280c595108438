import { LRUCache } from 'lru-cache'
import type { Day } from '../query/day.ts'
import { oldestDayKept } from '../query/parse-range.ts'
import { findLoadedRange, findVisibleLoads } from './loads.ts'
import type { Store } from './open-store.ts'

type Range = {
  readonly cube: string
  readonly account: string
  /** The account's `loadsRevision`, read by this request. If the loads change later, the next request reads another. */
  readonly revision: string
  readonly start: Day
  readonly end: Day
  readonly today: Day
}

type LoadedDays = {
  /** The loads that make up the days of the range; the same array while they do not change. */
  readonly visible: Awaited<ReturnType<typeof findVisibleLoads>>
  /** The last loaded day that can be queried, in the range or not. */
  readonly last: Day | undefined
}

export type FindLoadedDays = (range: Range) => Promise<LoadedDays>

/** Loads of all ranges together, some hundred bytes each. */
const loadsMax = 100_000

/**
 * Finds the loaded days of a range, from memory while the account's revision is the one that they were read with. Each
 * request reads the revision with its key or session, so it sees all that was published before, by any process.
 */
export function rememberLoads(store: Store): FindLoadedDays {
  const known = new LRUCache<string, LoadedDays & { readonly revision: string }>({
    maxSize: loadsMax,
    sizeCalculation: ({ visible }) => visible.length + 1,
  })
  return async (range) => {
    const { cube, account, revision, start, end, today } = range
    const key = `${account} ${cube} ${start} ${end} ${today}`
    const found = known.get(key)
    if (found?.revision === revision) return found
    const days = { revision, ...(await findDays(store, range)) }
    known.set(key, days)
    return days
  }
}

async function findDays(store: Store, { cube, account, start, end, today }: Range): Promise<LoadedDays> {
  // With the days after the range, to find the last loaded day.
  const loads = await findVisibleLoads(store, { cube, account, start })
  const range =
    loads.length > 0 ? undefined : await findLoadedRange(store, { cube, account, oldest: oldestDayKept(today) })
  return { visible: loads.filter(({ day }) => day <= end), last: loads.at(-1)?.day ?? range?.end }
}
