import type { FastifyRequest } from 'fastify'
import type { Cube, Dimension } from '../../catalog/cube.ts'
import { synchronousLimits } from '../../catalog/limits.ts'
import { addDays, dayOf } from '../../query/day.ts'
import { quote } from '../../query/faults.ts'
import { findField, suggestField } from '../../query/parse-fields.ts'
import type { Services } from '../services.ts'
import type { ValuesAnswer } from '../../contract/console.ts'
import { readParameters, resolveCube, wrongParameter } from '../edge/parameters.ts'
import { runQuery } from '../v2/queries.ts'

const valuesMax = 100
const searchCharactersMax = 100
/** A search covers only so many of the most frequent values. */
const searchedMax = 1_000

/** GET /values: the most frequent values of a dimension in the last two weeks, for a choice of filters. */
export function answerValues(services: Services) {
  return async (request: FastifyRequest): Promise<ValuesAnswer> => {
    const parameters = readParameters(request, ['cube', 'dimension', 'search'])
    const cube = resolveCube(parameters.cube, request)
    const dimension = resolveDimension(parameters.dimension, cube)
    const { search = '' } = parameters
    if (search.length > searchCharactersMax) {
      throw wrongParameter('search', `Too long: at most ${searchCharactersMax} characters.`)
    }
    const today = dayOf(services.now())
    // The first metric of a cube is its largest count.
    const metrics = cube.metrics.slice(0, 1)
    const { json, isTruncated } = await runQuery(services, request, {
      cube,
      start: addDays(today, 1 - synchronousLimits.daysMax),
      end: today,
      dimensions: [dimension],
      metrics,
      filters: [],
      sorts: metrics.map((field) => ({ field, direction: 'desc' })),
      limit: search === '' ? valuesMax : searchedMax,
    })
    const rows = JSON.parse(`[${json.toString()}]`) as readonly Record<string, string | null>[]
    const values = rows.map((row) => row[dimension.name] ?? null)
    const found = search === '' ? values : values.filter((value) => contains(value, search))
    return { data: found.slice(0, valuesMax), truncated: isTruncated || found.length > valuesMax }
  }
}

function resolveDimension(name: string | undefined, cube: Cube): Dimension {
  if (name === undefined || name === '') throw wrongParameter('dimension', 'Required: the name of a dimension.')
  const dimension = findField(name, cube.dimensions)
  if (dimension) return dimension
  const hint = suggestField(name, cube, cube.dimensions)
  throw wrongParameter('dimension', `${quote(name)} is not a dimension of this cube.${hint}`)
}

/** Case-insensitive, unlike the engines' LIKE. */
const contains = (value: string | null, search: string): boolean =>
  value?.toLowerCase().includes(search.toLowerCase()) ?? false
