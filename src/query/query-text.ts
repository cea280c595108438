import { findCube } from '../catalog/cubes.ts'
import { findField } from './parse-fields.ts'
import type { Filter, Query, Sort } from './query.ts'

/** A query as text, in which cubes and fields are their names: what tells it from others, and what another process reads. */
export const writeQuery = (query: Query): string => JSON.stringify(query, nameFields)

const nameFields = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'name' in value ? value.name : value

type WrittenQuery = Omit<Query, 'cube' | 'dimensions' | 'metrics' | 'filters' | 'sorts'> & {
  readonly cube: string
  readonly dimensions: readonly string[]
  readonly metrics: readonly string[]
  readonly filters: readonly (Omit<Filter, 'dimension'> & { readonly dimension: string })[]
  readonly sorts: readonly (Omit<Sort, 'field'> & { readonly field: string })[]
}

/** The query that was written, with the fields of the catalog. */
export function readQuery(text: string): Query {
  const written = JSON.parse(text) as WrittenQuery
  const cube = demand(findCube(written.cube))
  const dimension = (name: string) => demand(findField(name, cube.dimensions))
  const metric = (name: string) => demand(findField(name, cube.metrics))
  return {
    ...written,
    cube,
    dimensions: written.dimensions.map(dimension),
    metrics: written.metrics.map(metric),
    filters: written.filters.map((filter) => ({ ...filter, dimension: dimension(filter.dimension) })),
    sorts: written.sorts.map((sort) => ({
      ...sort,
      field: findField(sort.field, cube.dimensions) ?? metric(sort.field),
    })),
  }
}

function demand<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new Error('A query names what is not in the catalog.')
  return found
}
