import type { FastifyInstance } from 'fastify'
import { rulesFor } from '../../access/rate-rules.ts'
import { cubes } from '../../catalog/cubes.ts'
import { asynchronousLimits, synchronousLimits, type QueryLimits } from '../../catalog/limits.ts'
import type { Cube } from '../../catalog/cube.ts'
import { addDays, dayOf, type Day } from '../../query/day.ts'
import { querySchema } from '../../query/query-schema.ts'
import { version } from '../../version.ts'
import { jobRecord, metadataAnswer, queryAnswer, rangesAnswer } from '../../contract/answers.ts'
import { problemAnswer, problems, type ProblemCode } from '../../contract/problems.ts'

const description = `Auction and ad-server data: rows as JSON, or up to ten million of them as a CSV report.

Every request under \`/v2\` carries an API key in the header \`x-api-key\`. Rates are counted for an account, whichever of its
keys is used; the headers \`RateLimit\` and \`RateLimit-Policy\` tell how far they are used, and \`Retry-After\` how long to wait.`

/** Problems that every path under /v2 can answer with. */
const always: readonly ProblemCode[] = [
  'invalid_parameter',
  'key_missing',
  'key_invalid',
  'key_expired',
  'account_disabled',
  'rate_limited',
  'too_many_attempts',
  'internal',
  'store_away',
  'store_full',
]
const ofQueries: readonly ProblemCode[] = [
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
  'invalid_query',
  'cube_not_allowed',
]

const text = { type: 'string' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const answer = (schema: object, description = 'Done.') => ({ description, content: { 'application/json': { schema } } })
const required = (place: 'path' | 'query', name: string) => ({ name, in: place, required: true, schema: text })

const cubeParameter = {
  name: 'cube',
  in: 'query',
  required: true,
  description: 'Name of the cube, long or short.',
  schema: { type: 'string', enum: cubes.flatMap(({ name, alias }) => [alias, name]) },
}

/** The reference of the API, OpenAPI 3.1, with examples that can be run today. */
const describeApi = (today: Day) => ({
  openapi: '3.1.1',
  info: { title: 'Adcube', version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
  servers: [{ url: '/', description: 'This server' }],
  security: [{ key: [] }],
  tags: [
    { name: 'Rows', description: 'Small results as JSON.' },
    { name: 'Reports', description: 'Large results as CSV files, made by jobs.' },
    { name: 'Catalog', description: 'Available data, fields and limits.' },
  ],
  paths: {
    '/v2/data': {
      get: {
        operationId: 'getRanges',
        tags: ['Catalog'],
        summary: 'List available date ranges',
        parameters: [{ ...cubeParameter, required: false, description: 'Restricts the result to one cube.' }],
        responses: { 200: answer(ref('Ranges')), ...refusals([...always, 'cube_not_allowed']) },
      },
    },
    '/v2/data/metadata': {
      get: {
        operationId: 'getMetadata',
        tags: ['Catalog'],
        summary: 'List cubes, fields and limits',
        responses: { 200: answer(ref('Metadata')), ...refusals(always) },
      },
    },
    '/v2/data/synchronous': {
      post: {
        operationId: 'query',
        tags: ['Rows'],
        summary: 'Query rows',
        description: describeLimits(synchronousLimits),
        parameters: [cubeParameter],
        requestBody: queryBody(synchronousLimits, today),
        responses: {
          200: answer(ref('Rows')),
          ...refusals([...always, ...ofQueries, 'engine_away', 'engine_busy', 'query_timeout']),
        },
      },
    },
    '/v2/data/asynchronous': {
      post: {
        operationId: 'startReport',
        tags: ['Reports'],
        summary: 'Start a job',
        description: `${describeLimits(asynchronousLimits)} Poll its status until it is done, and then download the report from \`output_url\`.`,
        parameters: [
          cubeParameter,
          {
            name: 'Idempotency-Key',
            in: 'header',
            description: 'A repeated request with the same key and query within 24 hours returns the same job.',
            schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
          },
        ],
        requestBody: queryBody(asynchronousLimits, today),
        responses: {
          202: answer(ref('Job'), 'The job, in progress.'),
          ...refusals([...always, 'bad_request', ...ofQueries, 'idempotency_key_taken']),
        },
      },
    },
    '/v2/data/status': {
      get: {
        operationId: 'getJobs',
        tags: ['Reports'],
        summary: 'List jobs',
        description:
          'The jobs of the last 24 hours, newest first. With a parameter, all jobs that match it, of any age.',
        parameters: [
          { name: 'jobId', in: 'query', schema: text },
          { name: 'jobStatus', in: 'query', schema: jobRecord.properties.job_status },
        ],
        responses: {
          200: answer({ type: 'array', items: ref('Job') }, 'The matching jobs; an empty array if there are none.'),
          ...refusals(always),
        },
      },
      delete: {
        operationId: 'deleteJob',
        tags: ['Reports'],
        summary: 'Cancel or delete a job',
        description: 'Cancels a job in progress, which becomes FAILED. Deletes a finished job and its report.',
        parameters: [required('query', 'jobId')],
        responses: {
          200: answer(ref('Job'), 'The job was cancelled.'),
          204: { description: 'The job was deleted.' },
          ...refusals([...always, 'not_found']),
        },
      },
    },
    '/reports/{job_id}/{file}': {
      get: {
        operationId: 'downloadReport',
        tags: ['Reports'],
        summary: 'Download a report',
        description:
          'Use the complete `output_url` of a job. It needs no API key and is valid for a day; each status request returns a new one.',
        security: [],
        parameters: [
          required('path', 'job_id'),
          required('path', 'file'),
          required('query', 'expires'),
          required('query', 'signature'),
          { name: 'Range', in: 'header', description: 'Resumes an interrupted download.', schema: text },
        ],
        responses: {
          200: { description: 'The CSV: RFC 4180, UTF-8, with a header row.', content: { 'text/csv': {} } },
          206: { description: 'The requested range.', content: { 'text/csv': {} } },
          304: { description: 'Not modified since the version in If-None-Match.' },
          ...refusals([
            'bad_request',
            'link_invalid',
            'account_disabled',
            'cube_not_allowed',
            'report_gone',
            'range_not_satisfiable',
            'too_many_attempts',
            'too_many_downloads',
            'internal',
            'store_away',
          ]),
        },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
    schemas: {
      Rows: queryAnswer,
      Ranges: rangesAnswer,
      Metadata: metadataAnswer,
      Job: jobRecord,
      Problem: problemAnswer,
      ...Object.fromEntries(
        [synchronousLimits, asynchronousLimits].flatMap((limits) =>
          cubes.map((cube) => [nameOf(cube, limits), querySchema(cube, limits)]),
        ),
      ),
    },
  },
})

/** The reference for tools. It holds nothing secret, so it needs no key. */
export async function openapiRoutes(app: FastifyInstance, { now }: { readonly now: () => number }): Promise<void> {
  let made = { day: '', text: '' }
  app.get('/openapi.json', async (_request, reply) => {
    const day = dayOf(now())
    if (made.day !== day) made = { day, text: JSON.stringify(describeApi(day)) }
    return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(made.text)
  })
}

/** One response for each status, with the codes that have it. */
function refusals(codes: readonly ProblemCode[]) {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, each]) => [
      status,
      {
        description: each.map((code) => `\`${code}\`: ${problems[code].title}.`).join('\n\n'),
        content: { 'application/problem+json': { schema: ref('Problem') } },
        ...([429, 503].includes(status) && {
          headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
        }),
      },
    ]),
  )
}

function describeLimits({ daysMax, dimensionsMax, metricsMax, rowsMax, rate, available }: QueryLimits): string {
  const reach = 'days' in available ? `${available.days} days` : `${available.months} months`
  return (
    `At most ${dimensionsMax} dimensions, ${metricsMax} metrics, ${daysMax} days and ${rowsMax.toLocaleString('en-US')} rows, ` +
    `over the last ${reach}. ${describeRates(rate)}`
  )
}

/** All rules that match a request apply together, so the lowest one counts. Jobs share it, and have a limit of a day. */
function describeRates({ quota, of }: QueryLimits['rate']): string {
  const ofMinute = rulesFor('POST', '/v2/data/synchronous').filter(({ windowSeconds }) => windowSeconds === 60)
  const lowest = Math.min(...ofMinute.map((rule) => rule.quota))
  const ofDay = of === 'jobs' ? `${quota} jobs in 24 hours, and at most` : 'At most'
  return `${ofDay} ${lowest} requests a minute, queries and jobs together.`
}

const nameOf = ({ alias }: Cube, { endpoint }: QueryLimits): string =>
  `${endpoint}-${alias}-query`.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())

function queryBody(limits: QueryLimits, today: Day) {
  const range = { start: addDays(today, -7), end: addDays(today, -1) }
  return {
    required: true,
    content: {
      'application/json': {
        schema: { anyOf: cubes.map((cube) => ref(nameOf(cube, limits))) },
        examples: Object.fromEntries(
          cubes.map(({ alias, example }) => [
            alias,
            { summary: example.summary, value: { ...range, ...example.query } },
          ]),
        ),
      },
    },
  }
}
