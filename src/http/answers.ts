import type { QueryBody } from '../query/query.ts'

/** What queries and jobs are answered with. Types alone, without the server's own, so that a browser's code can use them. */
export type QueryAnswer = {
  /** Counts and money come digit for digit, as the engine wrote them. */
  readonly data: readonly Readonly<Record<string, string | number | null>>[]
  readonly meta: {
    readonly cube: string
    readonly start: string
    readonly end: string
    readonly rows: number
    readonly limit: number
    /** Whether the limit cut rows off. */
    readonly truncated: boolean
    /** The last day that is loaded. */
    readonly data_through: string | null
    readonly request_id: string
  }
}

export type ValuesAnswer = {
  /** The most frequent first; null stands for facts without a value. */
  readonly data: readonly (string | null)[]
  /** Whether there may be more. */
  readonly truncated: boolean
}

/** A job status record: the specification's three fields, and ours. */
export type JobRecord = {
  readonly job_id: string
  readonly job_status: 'PROCESSING' | 'SUCCESS' | 'FAILED'
  readonly output_url: string
  readonly cube: string
  readonly created_at: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly progress: number
  readonly rows: number | null
  readonly bytes: number | null
  readonly checksum: string | null
  readonly expires_at: string | null
  readonly failure_reason: string | null
}

/** With what it is about, for the console to show and to ask again. */
export type ListedJobRecord = JobRecord & {
  readonly start: string
  readonly end: string
  /** As it was sent; null where it is too long for a list. */
  readonly query: QueryBody | null
}

export type JobsAnswer = {
  readonly data: readonly ListedJobRecord[]
  readonly next: string | null
  /** Of the jobs of a day, the API's and the console's together. */
  readonly quota: { readonly limit: number; readonly used: number; readonly next_free_at: string | null }
}
