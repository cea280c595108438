import { fromJsonSchema, type JsonSchemaType } from '@modelcontextprotocol/server'
import { Type, type Static, type TObject, type TProperties } from 'typebox'
import { cubes } from '../catalog/cubes.ts'
import { asynchronousLimits, commonLimits, synchronousLimits, type QueryLimits } from '../catalog/limits.ts'
import type { Adcube, CubeName, Query } from '../client/index.ts'
import { dayOf } from '../query/day.ts'
import { operators } from '../query/query.ts'

const cube = Type.Enum(
  cubes.map(({ alias }) => alias),
  { description: cubes.map(({ alias, description }) => `${alias}: ${description}`).join(' ') },
)
const names = (description: string) => Type.Array(Type.String(), { description })
const day = (description: string) => Type.String({ description: `${description}, yyyy-MM-DD (UTC)` })

/** The input of `query` and `start_report`. The API itself reports errors in it. */
const queryInput = ({ dimensionsMax, metricsMax, daysMax, rowsMax }: QueryLimits) => ({
  cube,
  start: day('First day'),
  end: day(`Last day, at most ${daysMax} days with the first`),
  dimensions: names(`At most ${dimensionsMax}, such as ["Day", "Country"]; none for totals`),
  metrics: names(`1 to ${metricsMax}, such as ["Net Revenue", "eCPM"]`),
  filters: Type.Optional(
    Type.Array(
      Type.Object({
        field: Type.String({ description: 'A dimension' }),
        operator: Type.Enum([...operators]),
        value: Type.Optional(Type.String({ description: 'With = and like; % stands for any text' })),
        values: Type.Optional(Type.Array(Type.String(), { description: 'With in and not in' })),
      }),
      { maxItems: commonLimits.filtersMax },
    ),
  ),
  sort: Type.Optional(
    Type.Array(Type.Object({ field: Type.String(), order: Type.Optional(Type.Enum(['asc', 'desc'])) }), {
      maxItems: commonLimits.sortsMax,
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: rowsMax, description: '1,000 if omitted' })),
})

type About = { readonly title: string; readonly description: string; readonly isChange?: true }

function defineTool<Input extends TProperties>(
  name: string,
  input: Input,
  { isChange, ...about }: About,
  call: (adcube: Adcube, input: Static<TObject<Input>>) => Promise<unknown>,
) {
  const schema = Type.Object(input, { additionalProperties: false })
  const inputSchema = fromJsonSchema<Static<TObject<Input>>>({ ...schema } as JsonSchemaType)
  const annotations = { readOnlyHint: isChange !== true, destructiveHint: false, openWorldHint: false }
  return {
    name,
    config: { ...about, inputSchema, annotations },
    call: call as (adcube: Adcube, input: unknown) => Promise<unknown>,
  }
}

/** The tools, with compiled schemas. */
export const defineTools = () => [
  defineTool(
    'list_ranges',
    {},
    { title: 'Available days', description: 'Today (UTC) and the first and last day loaded, for each cube.' },
    async (adcube) => ({ today: dayOf(Date.now()), ranges: await adcube.ranges() }),
  ),

  defineTool(
    'list_fields',
    { cube, words: Type.Optional(Type.String({ description: 'Such as "revenue" or "video rate"' })) },
    {
      title: 'Fields of a cube',
      description: 'Dimensions, and metrics with their formulas. With words, only the fields that have all of them.',
    },
    async (adcube, { cube: alias, words = '' }) => {
      const { cubes: known } = await adcube.metadata()
      const found = known.find((each) => each.alias === alias)
      const wanted = words.toLowerCase().split(/\s+/)
      const fits = (field: { readonly name: string; readonly description: string }): boolean =>
        wanted.every((word) => `${field.name} ${field.description}`.toLowerCase().includes(word))
      return { dimensions: found?.dimensions.filter(fits) ?? [], metrics: found?.metrics.filter(fits) ?? [] }
    },
  ),

  defineTool(
    'query',
    queryInput(synchronousLimits),
    { title: 'Query', description: `Returns rows of the last ${synchronousLimits.daysMax} days.` },
    (adcube, { cube: name, ...query }) => adcube.query(name as CubeName, query as Query),
  ),

  defineTool(
    'start_report',
    queryInput(asynchronousLimits),
    {
      title: 'Start a report job',
      description:
        'Starts a job that makes a CSV report, for what query cannot answer. At most ten a day. Call get_job for its state.',
      isChange: true,
    },
    (adcube, { cube: name, ...query }) => adcube.startReport(name as CubeName, query as Query),
  ),

  defineTool(
    'get_job',
    { job_id: Type.String() },
    {
      title: 'State of a job',
      description:
        'Returns job_status: PROCESSING, SUCCESS (output_url is the address of the CSV, valid for a day) or FAILED (see failure_reason).',
    },
    (adcube, { job_id: id }) => adcube.job(id),
  ),
]
