import type { Fault } from '../query/faults.ts'

/** Every error that the API gives, by its stable code. The text of a `detail` may change; code and status do not. */
export const problems = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_query: { status: 400, title: 'The query has faults' },
  invalid_parameter: { status: 400, title: 'A parameter of the address is wrong' },
  bad_request: { status: 400, title: 'The request cannot be understood' },
  key_missing: { status: 401, title: 'An API key is needed' },
  key_invalid: { status: 401, title: 'The API key is not valid' },
  key_expired: { status: 401, title: 'The API key has expired' },
  cube_not_allowed: { status: 403, title: 'The account may not use this cube' },
  not_found: { status: 404, title: 'There is nothing at this address' },
  method_not_allowed: { status: 405, title: 'The address does not take this method' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be JSON' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  engine_away: { status: 503, title: 'The engine is not available' },
  engine_busy: { status: 503, title: 'The engine has no room for this query now' },
  query_timeout: { status: 504, title: 'The query ran out of its time' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof problems

type Extras = {
  /** Faults of the body, by pointer, or of the address, by parameter. */
  readonly errors?: readonly (Fault | { readonly parameter: string; readonly detail: string })[]
  readonly headers?: Readonly<Record<string, string>>
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
