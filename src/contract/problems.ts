import { Type, type Static } from 'typebox'

/** Every error of the API. Codes and statuses are stable; titles and details may change. */
export const problems = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_query: { status: 400, title: 'The query is invalid' },
  invalid_parameter: { status: 400, title: 'A query parameter is invalid' },
  invalid_body: { status: 400, title: 'The body is invalid' },
  bad_request: { status: 400, title: 'The request is malformed' },
  invitation_invalid: { status: 400, title: 'The invitation is invalid' },
  account_needed: { status: 400, title: 'The account is missing' },
  key_missing: { status: 401, title: 'An API key is required' },
  key_invalid: { status: 401, title: 'The API key is invalid' },
  key_expired: { status: 401, title: 'The API key has expired' },
  sign_in_needed: { status: 401, title: 'Sign-in required' },
  sign_in_wrong: { status: 401, title: 'Wrong e-mail address or password' },
  administrators_only: { status: 403, title: 'Only Administrators can do this' },
  other_site: { status: 403, title: 'The request comes from another site' },
  link_invalid: { status: 403, title: 'The download address is invalid' },
  account_unknown: { status: 403, title: 'You do not belong to this account' },
  account_disabled: { status: 403, title: 'The account is disabled' },
  cube_not_allowed: { status: 403, title: 'The account cannot use this cube' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  idempotency_key_taken: { status: 409, title: 'The Idempotency-Key was used with another query' },
  too_many_keys: { status: 409, title: 'The account has the maximum number of API keys' },
  too_many_people: { status: 409, title: 'The account has the maximum number of people' },
  too_many_views: { status: 409, title: 'You have the maximum number of saved views' },
  email_taken: { status: 409, title: 'The person is already in the account' },
  last_administrator: { status: 409, title: 'An account needs at least one Administrator' },
  report_gone: { status: 410, title: 'The report is no longer available' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be JSON' },
  range_not_satisfiable: { status: 416, title: 'The range is outside of the report' },
  rate_limited: { status: 429, title: 'Rate limit exceeded' },
  too_many_queries: { status: 429, title: 'Too many queries' },
  too_many_changes: { status: 429, title: 'Too many changes' },
  too_many_attempts: { status: 429, title: 'Too many attempts' },
  too_many_downloads: { status: 429, title: 'Too many simultaneous downloads' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  engine_away: { status: 503, title: 'The query engine is unavailable' },
  sign_in_busy: { status: 503, title: 'Too many people are signing in' },
  store_full: { status: 503, title: 'The control database cannot store changes' },
  store_away: { status: 503, title: 'The control database is unavailable' },
  facts_damaged: { status: 503, title: 'Stored data is damaged' },
  engine_busy: { status: 503, title: 'The query engine is busy' },
  query_timeout: { status: 504, title: 'The query timed out' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof problems

/** The body of an error. */
export const problemAnswer = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.Enum(Object.keys(problems) as ProblemCode[], { type: 'string' }),
    request_id: Type.String({ description: 'Identifies the request in the log of the server.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.Optional(Type.String({ description: 'JSON pointer into the body.' })),
          parameter: Type.Optional(Type.String()),
          detail: Type.String(),
        }),
        { description: 'All validation errors, each with a pointer into the body or the name of a parameter.' },
      ),
    ),
  },
  { description: 'An error (RFC 9457). `code` never changes its meaning; the texts can change.' },
)
export type ProblemAnswer = Static<typeof problemAnswer>

type Extras = {
  readonly errors?: readonly NonNullable<ProblemAnswer['errors']>[number][]
  readonly headers?: Readonly<Record<string, string>>
  /** The rate limit that was reached, for the log and the metrics. */
  readonly rule?: string
}

/** An error that the client may read. All other errors are answered with `internal`. */
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

export const toProblemBody = ({ code, message, extras }: Problem, requestId: string): ProblemAnswer => ({
  type: `urn:adcube:problem:${code}`,
  title: problems[code].title,
  status: problems[code].status,
  detail: message,
  code,
  request_id: requestId,
  ...(extras.errors && { errors: [...extras.errors] }),
})
