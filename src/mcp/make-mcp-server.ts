import { fromJsonSchema, McpServer, type CallToolResult, type JsonSchemaType } from '@modelcontextprotocol/server'
import { Type, type Static, type TObject, type TProperties } from 'typebox'
import { cubes } from '../catalog/cubes.ts'
import { asynchronousLimits, commonLimits, synchronousLimits, type QueryLimits } from '../catalog/limits.ts'
import { AdcubeError, type Adcube, type CubeName, type Query } from '../client/index.ts'
import { dayOf } from '../query/day.ts'
import { operators } from '../query/query.ts'
import { version } from '../version.ts'

const instructions = `Auction and ad-server data of one publisher account, by UTC day.
Call list_ranges first: it returns the available days. list_fields finds the names of dimensions and metrics.
query answers small questions directly; start_report and get_job make a CSV report for large ones.
Calls count against the account's rate limits (five queries a minute), so request several metrics in one query.
Ratios such as eCPM are computed from sums: never average them; query the grouping you need.`

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

/** Makes a server whose tools call the API, with the key and the limits of an account. */
export function makeMcpServer(adcube: Adcube): McpServer {
  const server = new McpServer({ name: 'adcube', title: 'Adcube', version }, { instructions })

  const tool = <Input extends TProperties>(
    name: string,
    input: Input,
    about: { readonly title: string; readonly description: string; readonly isChange?: true },
    call: (input: Static<TObject<Input>>) => Promise<unknown>,
  ): void => {
    const { title, description, isChange = false } = about
    const schema = Type.Object(input, { additionalProperties: false })
    const inputSchema = fromJsonSchema<Static<TObject<Input>>>({ ...schema } as JsonSchemaType)
    const annotations = { readOnlyHint: !isChange, destructiveHint: false, openWorldHint: false }
    server.registerTool(name, { title, description, inputSchema, annotations }, async (given) => {
      try {
        return answer(await call(given))
      } catch (error) {
        return { ...answer(explain(error)), isError: true }
      }
    })
  }

  tool(
    'list_ranges',
    {},
    { title: 'Available days', description: 'Today (UTC) and the first and last day loaded, for each cube.' },
    async () => ({ today: dayOf(Date.now()), ranges: await adcube.ranges() }),
  )

  tool(
    'list_fields',
    { cube, words: Type.Optional(Type.String({ description: 'Such as "revenue" or "video rate"' })) },
    {
      title: 'Fields of a cube',
      description: 'Dimensions, and metrics with their formulas. With words, only the fields that have all of them.',
    },
    async ({ cube: alias, words = '' }) => {
      const { cubes: known } = await adcube.metadata()
      const found = known.find((each) => each.alias === alias)
      const wanted = words.toLowerCase().split(/\s+/)
      const fits = (field: { readonly name: string; readonly description: string }): boolean =>
        wanted.every((word) => `${field.name} ${field.description}`.toLowerCase().includes(word))
      return { dimensions: found?.dimensions.filter(fits) ?? [], metrics: found?.metrics.filter(fits) ?? [] }
    },
  )

  tool(
    'query',
    queryInput(synchronousLimits),
    { title: 'Query', description: `Returns rows of the last ${synchronousLimits.daysMax} days.` },
    ({ cube: name, ...query }) => adcube.query(name as CubeName, query as Query),
  )

  tool(
    'start_report',
    queryInput(asynchronousLimits),
    {
      title: 'Start a report job',
      description:
        'Starts a job that makes a CSV report, for what query cannot answer. At most ten a day. Call get_job for its state.',
      isChange: true,
    },
    ({ cube: name, ...query }) => adcube.startReport(name as CubeName, query as Query),
  )

  tool(
    'get_job',
    { job_id: Type.String() },
    {
      title: 'State of a job',
      description:
        'Returns job_status: PROCESSING, SUCCESS (output_url is the address of the CSV, valid for a day) or FAILED (see failure_reason).',
    },
    ({ job_id: id }) => adcube.job(id),
  )
  return server
}

const answer = (data: unknown): CallToolResult => ({
  content: [{ type: 'text', text: typeof data === 'string' ? data : JSON.stringify(data) }],
})

function explain(error: unknown): string {
  if (!(error instanceof AdcubeError)) return 'Something went wrong. Try again.'
  const wait = error.retryAfterSeconds === undefined ? '' : `\nTry again in ${error.retryAfterSeconds} seconds.`
  return `${error.message}${wait}`
}
