import { useSyncExternalStore } from 'react'
import { dayOf, type Day } from '../../../src/query/day.ts'

function watchClock(notify: () => void): () => void {
  const timer = setInterval(notify, 60_000)
  return () => clearInterval(timer)
}

/** Returns the UTC day, also on a page that stays open past midnight. */
export const useToday = (): Day => useSyncExternalStore(watchClock, () => dayOf(Date.now()))
