import type { Cube } from '../../../src/catalog/cube.ts'
import { cubes, findCube } from '../../../src/catalog/cubes.ts'
import { synchronousLimits } from '../../../src/catalog/limits.ts'
import type { QueryDraft } from './query-draft.ts'

/** The first cube that an account may use. */
export const firstCubeOf = (account: { readonly cubes: readonly string[] }): Cube =>
  findCube(account.cubes[0] ?? '') ?? cubes[0]!

export const defaultFields = ({ firstMetrics }: Cube): Pick<QueryDraft, 'dimensions' | 'metrics'> => ({
  dimensions: ['Day'],
  metrics: firstMetrics,
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
