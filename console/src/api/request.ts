/** What the server says when it refuses (RFC 9457), or what we say when it cannot be reached. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly title: string
  /** Each fault of a query or a form, by its place. */
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

/** Asks the console's API. The session is in a cookie that scripts cannot read. */
export async function request<Answer>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { body, signal }: Options = {},
): Promise<Answer> {
  const response = await fetch(`/console/api${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ApiError({ detail: unreachable })
  })
  if (response.status === 204) return undefined as Answer
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok && answer !== undefined) return answer as Answer
  // A proxy in front of a server that is down answers with a page of its own.
  const problem = (answer ?? {}) as { detail?: string }
  const { status } = response
  throw new ApiError({ status, detail: unreachable, ...problem }, response.headers.get('retry-after'))
}

/** The query part of an address; what is undefined or empty is left out. */
export function searchOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}
