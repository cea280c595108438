import { Type } from 'typebox'
import type { Cube } from '../catalog/cube.ts'
import { commonLimits, type QueryBounds } from '../catalog/limits.ts'

const { filtersMax, filterValuesMax, filterValueCharactersMax, sortsMax, rowsDefault } = commonLimits

/**
 * Makes the JSON Schema of a query, for tools and for the reference. It has the catalog's spelling of names, and leaves
 * out what `parseQuery` accepts for convenience, such as names in another case.
 */
export function querySchema(cube: Cube, { daysMax, dimensionsMax, metricsMax, rowsMax }: QueryBounds) {
  const dimension = Type.Enum(cube.dimensions.map(({ name }) => name))
  const metric = Type.Enum(cube.metrics.map(({ name }) => name))
  const value = Type.String({ maxLength: filterValueCharactersMax })
  const values = Type.Array(value, { minItems: 1, maxItems: filterValuesMax })
  const filter = (operators: string[], member: object) =>
    Type.Object({ field: dimension, operator: Type.Enum(operators), ...member }, { additionalProperties: false })
  const pattern = Type.String({
    maxLength: filterValueCharactersMax,
    pattern: String.raw`^(?:[^\\]|\\[\s\S])*$`,
    description: '`%` matches any text and `_` any character. Escape them with a backslash.',
  })
  return Type.Object(
    {
      start: Type.String({ format: 'date', description: 'The first day, UTC.' }),
      end: Type.String({
        format: 'date',
        description: `The last day, UTC: at most ${daysMax} days including the first, and not after today.`,
      }),
      dimensions: Type.Array(dimension, { maxItems: dimensionsMax, uniqueItems: true }),
      metrics: Type.Array(metric, { minItems: 1, maxItems: metricsMax, uniqueItems: true }),
      filters: Type.Optional(
        Type.Array(
          Type.Union([
            filter(['='], { value }),
            filter(['like'], { value: pattern }),
            filter(['in', 'not in'], { values }),
          ]),
          { maxItems: filtersMax, description: 'All of them must match.' },
        ),
      ),
      sort: Type.Optional(
        Type.Array(
          Type.Object(
            {
              field: Type.Enum([...cube.dimensions, ...cube.metrics].map(({ name }) => name)),
              order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'asc if omitted.' })),
            },
            { additionalProperties: false },
          ),
          { maxItems: sortsMax, description: 'Any metric, and the dimensions of the query.' },
        ),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: rowsMax, description: `${rowsDefault} if omitted.` })),
      dataset: Type.Optional(
        Type.String({ description: 'Has no effect. If it names a cube, it must be the cube of the request.' }),
      ),
    },
    { additionalProperties: false },
  )
}
