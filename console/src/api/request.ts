import { accountHeader } from '../../../src/contract/account-header.ts'
import { accountIn } from './account.ts'

/** The server's problem document (RFC 9457), or our own if the server cannot be reached. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly title: string
  /** Errors of a query or a form, each with its place. */
  readonly errors: readonly { readonly pointer?: string; readonly parameter?: string; readonly detail: string }[]
  readonly retryAfterSeconds: number | undefined

  constructor(
    problem: Partial<Pick<ApiError, 'status' | 'code' | 'title' | 'errors'>> & { detail: string },
    retryAfter?: string | null,
  ) {
    super(problem.detail)
    this.name = 'ApiError'
    this.status = problem.status ?? 0
    this.code = problem.code ?? 'unreachable'
    this.title = problem.title ?? 'The server cannot be reached'
    this.errors = problem.errors ?? []
    this.retryAfterSeconds = retryAfter ? Number(retryAfter) : undefined
  }
}

const unreachable = 'Check the connection, and whether Adcube is running.'

type Options = { readonly body?: unknown; readonly signal?: AbortSignal }

/**
 * Sends a request to the console's API, for the account of the page's address. The session is in a cookie that scripts
 * cannot read.
 */
export async function request<Answer>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { body, signal }: Options = {},
): Promise<Answer> {
  const account = accountIn(location.pathname)
  const headers = {
    ...(account !== undefined && { [accountHeader]: account }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const response = await fetch(`/console/api${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ApiError({ detail: unreachable })
  })
  if (response.status === 204) return undefined as Answer
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok && answer !== undefined) return answer as Answer
  // If the server is down, a proxy may answer with a page of its own.
  const problem = (answer ?? {}) as { detail?: string }
  const { status } = response
  throw new ApiError({ status, detail: unreachable, ...problem }, response.headers.get('retry-after'))
}

/** Makes the query part of an address, without undefined and empty values. */
export function searchOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}
