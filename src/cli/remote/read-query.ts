import type { Cube } from '../../catalog/cube.ts'
import type { Query } from '../../client/index.ts'
import { addDays, dayOf, type Day } from '../../query/day.ts'
import { UsageError } from '../settings.ts'
import type { Condition } from './parse-where.ts'

export type QueryFlags = {
  readonly dimensions?: readonly string[] | undefined
  readonly metrics?: readonly string[] | undefined
  readonly last?: number | undefined
  readonly from?: Day | undefined
  readonly to?: Day | undefined
  readonly where?: readonly Condition[] | undefined
  readonly sort?: readonly string[] | undefined
  readonly limit?: number | undefined
}

const lastDefault = 7

/** Makes the body of a query. Unknown names stay as they are: the server explains them. */
export function readQuery(flags: QueryFlags, cube: Cube, nowMs: number): Query {
  const { dimensions = [], metrics = [], where = [], sort = [], limit } = flags
  const spell = (name: string): string => findName(name, cube) ?? name
  const query = {
    ...readPeriod(flags, dayOf(nowMs)),
    dimensions: dimensions.map(spell),
    metrics: metrics.map(spell),
    filters: where.map((condition) => ({ ...condition, field: spell(condition.field) })),
    sort: sort.map((name) =>
      name.startsWith('-') ? { field: spell(name.slice(1)), order: 'desc' } : { field: spell(name), order: 'asc' },
    ),
    ...(limit !== undefined && { limit }),
  }
  return query as Query
}

/** Without `--from`, the period ends yesterday: today is never complete. */
function readPeriod({ last = lastDefault, from, to }: QueryFlags, today: Day): { start: Day; end: Day } {
  if (to !== undefined && from === undefined) throw new UsageError('--to needs --from.')
  if (from !== undefined) return { start: from, end: to ?? today }
  const end = addDays(today, -1)
  return { start: addDays(end, 1 - last), end }
}

/**
 * Ignores case, spaces and _, and the parentheses of a field: net_revenue is Net Revenue. All other characters count,
 * because one that is ignored may have been meant as an operator or an order.
 */
function findName(text: string, { dimensions, metrics }: Cube): string | undefined {
  const wanted = squeeze(text)
  return [...dimensions, ...metrics].find(({ name }) =>
    [squeeze(name), squeeze(name).replaceAll(/[()]/g, '')].includes(wanted),
  )?.name
}

const squeeze = (name: string): string => name.toLowerCase().replaceAll(/[ _]/g, '')
