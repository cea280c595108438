import type { Cube } from '../../catalog/cube.ts'
import type { Query } from '../../client/index.ts'
import { addDays, dayOf, type Day } from '../../query/day.ts'
import { SettingsError } from '../settings.ts'
import type { Condition } from './parse-where.ts'

export type QueryFlags = {
  readonly dimensions?: readonly string[]
  readonly metrics?: readonly string[]
  readonly last?: number
  readonly from?: Day
  readonly to?: Day
  readonly where?: readonly Condition[]
  readonly sort?: readonly string[]
  readonly limit?: number
}

const lastDefault = 7

/** The body of a query. Names that the cube does not have are left for the server to explain. */
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

/** Days that are over, unless `--from` or `--to` ask for others: today is never complete. */
function readPeriod({ last = lastDefault, from, to }: QueryFlags, today: Day): { start: Day; end: Day } {
  if (to !== undefined && from === undefined) throw new SettingsError(['--to needs --from.'])
  if (from !== undefined) return { start: from, end: to ?? today }
  const end = addDays(today, -1)
  return { start: addDays(end, 1 - last), end }
}

/** In any case, and with _ for whatever a shell would need quotes for: net_revenue is Net Revenue. */
function findName(text: string, { dimensions, metrics }: Cube): string | undefined {
  const wanted = lettersOf(text)
  return [...dimensions, ...metrics].find(({ name }) => lettersOf(name) === wanted)?.name
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
