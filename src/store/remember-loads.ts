import { LRUCache } from 'lru-cache'
import type { Day } from '../query/day.ts'
import { oldestDayKept } from '../query/parse-range.ts'
import { findLoadedRange, findVisibleLoads } from './loads.ts'
import type { Store } from './open-store.ts'

type Range = {
  readonly cube: string
  readonly account: string
  /** The account's `loadsRevision`, as this request has read it: if the loads change later, the next one finds another. */
  readonly revision: string
  readonly start: Day
  readonly end: Day
  readonly today: Day
}

type LoadedDays = {
  /** The loads that make up the days of the range: the same array for as long as they are the same. */
  readonly visible: Awaited<ReturnType<typeof findVisibleLoads>>
  /** The last day that is loaded, in the range or not, of those that can be asked for. */
  readonly last: Day | undefined
}

export type FindLoadedDays = (range: Range) => Promise<LoadedDays>

/** Of all ranges together; one takes some hundred bytes. */
const loadsMax = 100_000

/**
 * Finds the loaded days of a range, from memory for as long as the account's revision is the one that they were read
 * with. Each request reads it with its key or session, so it sees what was published before, whoever published it.
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
  // With the days after the range: the last of them is asked for as well.
  const loads = await findVisibleLoads(store, { cube, account, start })
  const range =
    loads.length > 0 ? undefined : await findLoadedRange(store, { cube, account, oldest: oldestDayKept(today) })
  return { visible: loads.filter(({ day }) => day <= end), last: loads.at(-1)?.day ?? range?.end }
}
