import type { JobRecord } from '../contract/answers.ts'
import type { ProblemAnswer } from '../contract/problems.ts'

/** An error in a query, by its place (a JSON pointer), or in a parameter of an address. */
export type Fault = NonNullable<ProblemAnswer['errors']>[number]

type Problem = Omit<ProblemAnswer, 'type' | 'code' | 'request_id'> & {
  readonly code: ProblemAnswer['code'] | 'unreachable' | 'unexpected'
  readonly request_id?: string
}

/** A refusal of the server, or no connection. `code` says which; its values never change their meaning. */
export class AdcubeError extends Error {
  override readonly name: string = 'AdcubeError'
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number
  readonly code: Problem['code']
  readonly title: string
  readonly detail: string
  /** All faults of a query. */
  readonly errors: readonly Fault[]
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    problem: Problem,
    options: { readonly retryAfterSeconds?: number | undefined; readonly cause?: unknown },
  ) {
    const { status, code, title, detail, errors = [], request_id: requestId } = problem
    const faults = errors.map((fault) => `\n  ${fault.pointer ?? fault.parameter ?? ''}: ${fault.detail}`)
    super(`${title}. ${detail}${faults.join('')}`, { cause: options.cause })
    this.status = status
    this.code = code
    this.title = title
    this.detail = detail
    this.errors = errors
    this.requestId = requestId
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** A job that failed. */
export class ReportFailed extends Error {
  override readonly name = 'ReportFailed'
  readonly job: JobRecord

  constructor(job: JobRecord) {
    super(`The job failed: ${job.failure_reason ?? 'no reason was given'}`)
    this.job = job
  }
}

/** A download whose checksum is wrong. */
export class ReportDamaged extends Error {
  override readonly name = 'ReportDamaged'
}
