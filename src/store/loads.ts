import type { Day } from '../query/day.ts'
import type { Store } from './open-store.ts'

export type AccountDay = { readonly account: string; readonly day: Day }

export type LoadMode = 'replace' | 'append'

export type LoadedFile = { readonly name: string; readonly bytes: number; readonly checksum: string }

/** A fault of a file, or a warning. */
export type FileFault = {
  readonly file: string
  readonly row: number | null
  readonly column: string | null
  readonly reason: string
}

/** The number of faults or warnings, and the first of them. */
export type Findings = { readonly count: number; readonly first: readonly FileFault[] }

/** One text for each list of columns: many loads have the same, and they are remembered. */
const columnTexts = new Map<string, string>()

function shareText(text: string | null): string | null {
  if (text !== null && !columnTexts.has(text)) columnTexts.set(text, text)
  return text && (columnTexts.get(text) ?? text)
}

/** Finds the loads that make up the days of a range, or all days from its start on, in the order of the days. */
export async function findVisibleLoads(store: Store, range: { cube: string; account: string; start: Day; end?: Day }) {
  const loads = await store
    .selectFrom('visibleLoads')
    .innerJoin('loads', 'loads.id', 'loadId')
    .select(['day', 'loadId as load', 'columns', 'bytes', 'checksum', 'rollupHas', 'rollupChecksum'])
    .where('visibleLoads.cube', '=', range.cube)
    .where('accountId', '=', range.account)
    .where('day', '>=', range.start)
    .$if(range.end !== undefined, (some) => some.where('day', '<=', range.end ?? ''))
    .orderBy('day')
    .orderBy('loadId')
    .execute()
  return loads.map((load) => ({ ...load, columns: shareText(load.columns) }))
}

/** Finds the first and the last loaded day from `oldest` on; undefined if there is none. */
export async function findLoadedRange(
  store: Store,
  { cube, account, oldest }: { cube: string; account: string; oldest: Day },
): Promise<{ readonly start: Day; readonly end: Day } | undefined> {
  const { start, end } = await store
    .selectFrom('visibleLoads')
    .select(({ fn }) => [fn.min<Day | null>('day').as('start'), fn.max<Day | null>('day').as('end')])
    .where('cube', '=', cube)
    .where('accountId', '=', account)
    .where('day', '>=', oldest)
    .executeTakeFirstOrThrow()
  return start === null || end === null ? undefined : { start, end }
}
