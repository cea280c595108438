import type { Fault } from '../query/faults.ts'

/** Every error that the API gives, by its stable code. The text of a `detail` may change; code and status do not. */
export const problems = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_query: { status: 400, title: 'The query has faults' },
  invalid_parameter: { status: 400, title: 'A parameter of the address is wrong' },
  invalid_body: { status: 400, title: 'The body has faults' },
  bad_request: { status: 400, title: 'The request cannot be understood' },
  invitation_invalid: { status: 400, title: 'The invitation is not valid' },
  key_missing: { status: 401, title: 'An API key is needed' },
  key_invalid: { status: 401, title: 'The API key is not valid' },
  key_expired: { status: 401, title: 'The API key has expired' },
  sign_in_needed: { status: 401, title: 'Nobody is signed in' },
  sign_in_wrong: { status: 401, title: 'The e-mail address or the password is wrong' },
  administrators_only: { status: 403, title: 'Only Administrators may do this' },
  other_site: { status: 403, title: 'The request comes from another site' },
  link_invalid: { status: 403, title: 'The download address is not valid' },
  account_disabled: { status: 403, title: 'The account is disabled' },
  cube_not_allowed: { status: 403, title: 'The account may not use this cube' },
  not_found: { status: 404, title: 'There is nothing at this address' },
  method_not_allowed: { status: 405, title: 'The address does not take this method' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  idempotency_key_taken: { status: 409, title: 'The Idempotency-Key stands for another query' },
  too_many_keys: { status: 409, title: 'The account has as many keys as it may have' },
  too_many_people: { status: 409, title: 'The account has as many people as it may have' },
  too_many_views: { status: 409, title: 'The person has as many views as they may have' },
  email_taken: { status: 409, title: 'The e-mail address is taken' },
  last_administrator: { status: 409, title: 'An account needs an Administrator' },
  report_gone: { status: 410, title: 'The report is not kept any more' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be JSON' },
  range_not_satisfiable: { status: 416, title: 'The range lies outside of the report' },
  rate_limited: { status: 429, title: 'The account has used up a rate limit' },
  too_many_queries: { status: 429, title: 'The account queries too often' },
  too_many_changes: { status: 429, title: 'The account is changed too often' },
  too_many_attempts: { status: 429, title: 'Too many attempts' },
  too_many_downloads: { status: 429, title: 'Too many downloads at once' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  engine_away: { status: 503, title: 'The engine is not available' },
  sign_in_busy: { status: 503, title: 'Too many people are signing in' },
  store_away: { status: 503, title: 'The control database is not available' },
  engine_busy: { status: 503, title: 'The engine has no room for this query now' },
  query_timeout: { status: 504, title: 'The query ran out of its time' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof problems

type Extras = {
  /** Faults of the body, by pointer, or of the address, by parameter. */
  readonly errors?: readonly (Fault | { readonly parameter: string; readonly detail: string })[]
  readonly headers?: Readonly<Record<string, string>>
  /** The rate limit that was reached, for the log and the metrics. */
  readonly rule?: string
}

/** An error that the caller is meant to read. Everything else that is thrown becomes a plain `internal`. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly extras: Extras

  constructor(code: ProblemCode, detail: string, extras: Extras = {}) {
    super(detail)
    this.name = 'Problem'
    this.code = code
    this.extras = extras
  }
}

/** The body of an error: RFC 9457. */
export function problemBody({ code, message, extras }: Problem, requestId: string): Record<string, unknown> {
  return {
    type: `urn:adcube:problem:${code}`,
    title: problems[code].title,
    status: problems[code].status,
    detail: message,
    code,
    request_id: requestId,
    ...(extras.errors && { errors: extras.errors }),
  }
}
