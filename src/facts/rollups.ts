import type { Dimension } from '../catalog/cube.ts'
import type { Query } from '../query/query.ts'
import { needsOf } from './compile.ts'
import type { Scope, Source } from './facts.ts'

type Sources = {
  /** The column of the dimension to look up in rollups; empty for whole days. */
  readonly dimension: string
  /** The loads whose sums are read from rollups, and those whose sums are read from facts. */
  readonly rolled: Scope['visible']
  readonly others: Scope['visible']
  readonly readFrom: readonly Source[]
}

/**
 * Chooses what a query is read from; its answer is the same whatever is chosen. Rollups know no devices: an engine that
 * counts them apart from the sums reads facts for that, and another reads facts for both.
 */
export function chooseSources(query: Query, { visible }: Scope, { countsApart }: { countsApart: boolean }): Sources {
  const { hasUniques, dailyMeasures } = needsOf(query)
  const hasDevices = hasUniques || dailyMeasures.length > 0
  const used = [...query.dimensions, ...query.filters.map((filter) => filter.dimension)].filter(isText)
  const [dimension = '', ...more] = new Set(used.map(({ column }) => column))
  const isRolled = ({ rollupHas = null }: Scope['visible'][number]): boolean =>
    rollupHas !== null && (dimension === '' || rollupHas.split(' ').includes(dimension))
  const rolled = more.length > 0 || (hasDevices && !countsApart) ? [] : visible.filter(isRolled)
  const others = rolled.length > 0 ? visible.filter((each) => !isRolled(each)) : visible
  const readFrom: Source[] = []
  if (others.length > 0 || (hasDevices && visible.length > 0)) readFrom.push('facts')
  if (rolled.length > 0) readFrom.push('rollups')
  return { dimension, rolled, others, readFrom }
}

const isText = ({ type }: Dimension): boolean => type === 'string'
