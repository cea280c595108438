import { findCube } from '../../../src/catalog/cubes.ts'
import { asynchronousLimits } from '../../../src/catalog/limits.ts'
import { dayOf } from '../../../src/query/day.ts'
import { parseQuery } from '../../../src/query/parse.ts'
import type { Job } from '../api/calls.ts'
import { sortOf, type QueryDraft } from '../query/draft.ts'

/** Returns a job's query as a draft; undefined if it is too long for a list, or no longer valid. */
export function draftOfJob({ cube: name, query: body, created_at: createdAt }: Job): QueryDraft | undefined {
  const cube = findCube(name)
  if (!cube || body === null) return undefined
  // It was checked on the day it was accepted, so that day is its today.
  const today = dayOf(createdAt === null ? Date.now() : Date.parse(createdAt))
  const parsed = parseQuery(body, { cube, limits: asynchronousLimits, today })
  if ('faults' in parsed) return undefined
  const { query } = parsed
  return {
    cube,
    dates: { start: query.start, end: query.end },
    dimensions: query.dimensions.map((field) => field.name),
    metrics: query.metrics.map((field) => field.name),
    filters: query.filters.map(({ dimension, operator, values }) => ({ field: dimension.name, operator, values })),
    sort: query.sorts.map(({ field, direction }) => ({ field: field.name, order: direction })),
    limit: body.limit,
  }
}

/** A job without a sort order is sorted by its dimensions, while a draft would start with the largest. */
export function withItsOrder(draft: QueryDraft): QueryDraft {
  const [first] = draft.dimensions
  const isReordered = draft.sort.length === 0 && sortOf(draft).length > 0 && first !== undefined
  return isReordered ? { ...draft, sort: [{ field: first, order: 'asc' }] } : draft
}
