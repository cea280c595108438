/** Answers of the API: schemas for its reference, and types for the server and its clients. */
import { Type, type Static } from 'typebox'
import { operators } from '../query/query.ts'
import { day, nullable, time } from './record.ts'

type DeepReadonly<Value> = { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }

const cube = Type.String({ description: 'The full name of the cube.' })

export const queryAnswer = Type.Object(
  {
    /** Counts and money have all digits that the engine wrote. */
    data: Type.Array(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()])), {
      description:
        'The rows. Each has the requested dimensions and then the metrics, by name. Missing values and ratios with a denominator of 0 are null.',
    }),
    meta: Type.Object({
      cube,
      start: day,
      end: day,
      rows: Type.Integer({ minimum: 0 }),
      limit: Type.Integer({ minimum: 1 }),
      truncated: Type.Boolean({ description: 'True if there are more rows than the limit.' }),
      read_from: Type.Array(Type.Enum(['facts', 'rollups']), {
        description:
          'Data source: `facts` (rows as loaded) or `rollups` (pre-aggregated sums). Both give the same answer.',
      }),
      data_through: nullable(day, { description: 'The last day that is loaded.' }),
      request_id: Type.String(),
    }),
  },
  { description: 'The rows of a query.' },
)
export type QueryAnswer = DeepReadonly<Static<typeof queryAnswer>>

export const rangesAnswer = Type.Array(
  Type.Object({
    cube,
    start: nullable(day, { description: 'The first day that is loaded.' }),
    end: nullable(day, { description: 'The last day that is loaded.' }),
  }),
  { description: 'One entry for each cube that the account may use.' },
)
export type RangesAnswer = DeepReadonly<Static<typeof rangesAnswer>>

export const jobStates = ['PROCESSING', 'SUCCESS', 'FAILED'] as const

/** A job status record. The first three fields are those of the specification. */
export const jobRecord = Type.Object(
  {
    job_id: Type.String({ pattern: '^job_[0-9a-f]{32}$' }),
    job_status: Type.Enum([...jobStates]),
    output_url: Type.String({
      description:
        'The address of the CSV, valid for a day without a key; "Not Available" unless job_status is SUCCESS.',
    }),
    cube,
    created_at: nullable(time),
    started_at: nullable(time),
    finished_at: nullable(time),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    rows: nullable(Type.Integer(), { description: 'Without the header row.' }),
    bytes: nullable(Type.Integer(), { description: 'Size of the CSV, uncompressed.' }),
    checksum: nullable(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }), { description: 'Of the CSV, uncompressed.' }),
    expires_at: nullable(time, { description: 'When the report and its job are removed.' }),
    failure_reason: nullable(Type.String()),
  },
  { description: 'The status of a job.' },
)
export type JobRecord = DeepReadonly<Static<typeof jobRecord>>

export const rateLimit = Type.Object({
  name: Type.String(),
  description: Type.String(),
  method: Type.Enum(['GET', 'POST', 'PUT', 'DELETE']),
  path: Type.String(),
  window_seconds: Type.Integer(),
  quota: Type.Integer(),
})

export const queryLimits = Type.Object({
  rate_limit: Type.Object({
    quota: Type.Integer(),
    of: Type.Enum(['requests', 'jobs']),
    window_seconds: Type.Integer(),
  }),
  available: Type.String(),
  days_max: Type.Integer(),
  dimensions_max: Type.Integer(),
  metrics_max: Type.Integer(),
  filters_max: Type.Integer(),
  filter_values_max: Type.Integer(),
  filter_value_characters_max: Type.Integer(),
  sort_max: Type.Integer(),
  rows_max: Type.Integer(),
  rows_default: Type.Integer(),
})

export const metadataAnswer = Type.Object(
  {
    cubes: Type.Array(
      Type.Object({
        cube,
        alias: Type.String({ description: 'Its short name.' }),
        description: Type.String(),
        granularity: Type.Literal('day'),
        dimensions: Type.Array(
          Type.Object({ name: Type.String(), type: Type.Enum(['date', 'string']), description: Type.String() }),
        ),
        metrics: Type.Array(
          Type.Object({
            name: Type.String(),
            type: Type.Enum(['integer', 'number']),
            unit: Type.Enum(['count', 'currency', 'fraction', 'milliseconds', 'devices', 'average']),
            description: Type.String(),
            formula: Type.String({ description: 'In words, over sums of the loaded facts.' }),
          }),
        ),
      }),
    ),
    limits: Type.Object({
      synchronous: queryLimits,
      asynchronous: queryLimits,
      rates: Type.Array(rateLimit),
    }),
    operators: Type.Array(Type.Enum([...operators])),
    distinct_counts: Type.Object({
      exact: Type.Boolean({ description: 'True if distinct devices are counted exactly.' }),
      relative_standard_error: Type.Optional(Type.Number()),
    }),
  },
  { description: 'The cubes, fields and limits of the account.' },
)
export type MetadataAnswer = DeepReadonly<Static<typeof metadataAnswer>>
