import { findCube } from '../../../src/catalog/cubes.ts'
import type { Job } from '../api/calls.ts'
import { formatCount } from '../parts/format.ts'
import { cubeLabel } from '../query/cube-label.ts'
import { formatDays } from '../parts/format.ts'
import type { QueryDraft } from '../query/draft.ts'
import { describeFilter } from '../query/describe-filter.ts'

/** "Auctions, Nov 5 – 18, 2026" */
export function describeJob({ cube: name, start, end }: Job): string {
  const cube = findCube(name)
  return `${cube ? cubeLabel(cube) : name}, ${formatDays(start, end)}`
}

/** "Country, OS: Auctions, eCPM" */
export const describeFields = ({ dimensions, metrics }: QueryDraft): string =>
  `${dimensions.length === 0 ? 'Totals' : dimensions.join(', ')}: ${metrics.join(', ')}`

/** Describes filters, sort order and limit, each in some words. */
export function describeRest({ filters, sort, limit }: QueryDraft): readonly string[] {
  return [
    ...filters.map(describeFilter),
    ...(sort.length > 0 ? [`sorted by ${sort.map(({ field, order }) => `${field} ${order}`).join(', ')}`] : []),
    ...(limit === undefined ? [] : [`at most ${formatCount(limit)} rows`]),
  ]
}
