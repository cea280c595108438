import type { Cube } from '../../../src/catalog/cube.ts'
import { synchronousLimits } from '../../../src/catalog/limits.ts'
import type { QueryDraft } from './query-draft.ts'

const metricsOfCubes: Readonly<Record<string, readonly string[]>> = {
  auctions: ['Auctions', 'Net Revenue', 'eCPM'],
  'platform-performance': ['Ad Requests', 'Adserver Revenue', 'Adserver eCPM'],
}

export const defaultFields = (cube: Cube): Pick<QueryDraft, 'dimensions' | 'metrics'> => ({
  dimensions: ['Day'],
  metrics: metricsOfCubes[cube.alias] ?? cube.metrics.slice(0, 1).map(({ name }) => name),
})

/** The query of a first visit. */
export const defaultDraft = (cube: Cube): QueryDraft => ({
  cube,
  dates: { last: synchronousLimits.daysMax },
  ...defaultFields(cube),
  filters: [],
  sort: [],
  limit: undefined,
})
