import type { Cube } from '../../../src/catalog/cube.ts'
import { findField } from '../../../src/query/parse-fields.ts'
import { defaultFields } from './default-draft.ts'
import type { QueryDraft } from './query-draft.ts'

/** The draft for another cube, with the fields that this cube has as well. */
export function fitCube(draft: QueryDraft, cube: Cube): QueryDraft {
  if (draft.cube === cube) return draft
  const dimensions = namesIn(draft.dimensions, cube.dimensions)
  const metrics = namesIn(draft.metrics, cube.metrics)
  const defaults = defaultFields(cube)
  return withDimensions(
    {
      ...draft,
      cube,
      metrics: metrics.length > 0 ? metrics : defaults.metrics,
      filters: draft.filters.flatMap((filter) => withNameIn(filter, cube.dimensions)),
      sort: draft.sort.flatMap((sort) => withNameIn(sort, [...cube.dimensions, ...cube.metrics])),
    },
    dimensions.length > 0 || draft.dimensions.length === 0 ? dimensions : defaults.dimensions,
  )
}

/** Also removes dimensions from the sort order that are no longer selected, because the server refuses them. */
export const withDimensions = (draft: QueryDraft, dimensions: readonly string[]): QueryDraft => ({
  ...draft,
  dimensions,
  sort: draft.sort.filter(({ field }) => dimensions.includes(field) || findField(field, draft.cube.metrics)),
})

/** Also removes metrics from the sort order that are no longer selected. */
export const withMetrics = (draft: QueryDraft, metrics: readonly string[]): QueryDraft => ({
  ...draft,
  metrics,
  sort: draft.sort.filter(({ field }) => metrics.includes(field) || !draft.metrics.includes(field)),
})

type Named = { readonly name: string }

const namesIn = (names: readonly string[], fields: readonly Named[]): string[] =>
  names.flatMap((name) => findField(name, fields)?.name ?? [])

function withNameIn<Part extends { readonly field: string }>(part: Part, fields: readonly Named[]): Part[] {
  const found = findField(part.field, fields)
  return found ? [{ ...part, field: found.name }] : []
}
