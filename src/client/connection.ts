import { AdcubeError } from './errors.ts'

export type ConnectionOptions = {
  /** Such as https://adcube.example.com */
  readonly baseUrl: string | URL
  readonly apiKey: string
  /** How often a request is repeated after a lost connection, a rate limit or a busy server. 4 if omitted. */
  readonly retries?: number
  /** The longest wait for a rate limit; if it demands more, the error is thrown. 90 seconds if omitted. */
  readonly retryAfterMaxSeconds?: number
  readonly fetch?: typeof fetch
}

type Sent = {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Signed addresses need no API key. */
  readonly isSigned?: boolean
}

/** The detail for an answer that is not a problem document, such as the page of a proxy. */
const notAdcube = 'This is not an Adcube server. Check the base URL.'
/** Statuses that may pass: no connection, rate limits, and a server that is starting, busy or away. */
const temporary = new Set([0, 408, 425, 429, 502, 503, 504])
const firstWaitMs = 500

/** Sends requests with the key, and repeats those that failed for a temporary reason. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly retries: number

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.retries = options.retries ?? 4
  }

  /** Every request can be repeated: queries change nothing, and jobs have an Idempotency-Key. */
  async send(path: string, sent: Sent = {}): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#sendOnce(path, sent)
      } catch (error) {
        if (!(await this.waitToRetry(error, attempt, sent.signal))) throw error
      }
    }
  }

  async json<Answer>(path: string, sent?: Sent): Promise<Answer> {
    const response = await this.send(path, sent)
    if (response.status === 204) return undefined as Answer
    return (await response.json()) as Answer
  }

  /** Waits before another attempt; false, at once, if there should be none. */
  async waitToRetry(error: unknown, attempt: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (attempt >= this.retries || signal?.aborted) return false
    if (error instanceof AdcubeError && !temporary.has(error.status)) return false
    const asked = error instanceof AdcubeError ? error.retryAfterSeconds : undefined
    if (asked !== undefined && asked > (this.#options.retryAfterMaxSeconds ?? 90)) return false
    // Random, so that not all clients return at once.
    const own = firstWaitMs * 2 ** attempt * (0.5 + Math.random() / 2)
    await delay(asked === undefined ? own : asked * 1000, signal)
    return true
  }

  async #sendOnce(path: string, { method = 'GET', body, headers, signal, isSigned = false }: Sent): Promise<Response> {
    const { baseUrl, apiKey, fetch = globalThis.fetch } = this.#options
    const url = new URL(path, `${String(baseUrl).replace(/\/+$/, '')}/`)
    let response: Response
    try {
      response = await fetch(url, {
        method,
        // A redirect would send the key to another host.
        redirect: 'error',
        headers: {
          ...(!isSigned && { 'x-api-key': apiKey }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      })
    } catch (cause) {
      signal?.throwIfAborted()
      const detail = `No answer from ${url.origin}.`
      const problem = { status: 0, code: 'unreachable', title: 'The server cannot be reached', detail } as const
      throw new AdcubeError(problem, { cause })
    }
    if (response.ok) return response
    const problem: unknown = await response.json().catch(() => undefined)
    const known = typeof problem === 'object' && problem !== null && 'code' in problem && 'detail' in problem
    const { status } = response
    const unexpected = { status, code: 'unexpected', title: `HTTP ${status}`, detail: notAdcube }
    throw new AdcubeError((known ? problem : unexpected) as ConstructorParameters<typeof AdcubeError>[0], {
      retryAfterSeconds: readSeconds(response.headers.get('retry-after')),
    })
  }
}

const readSeconds = (text: string | null): number | undefined =>
  text !== null && /^\d+$/.test(text) ? Number(text) : undefined

/** Waits. If the signal is aborted, throws its reason. */
export function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
