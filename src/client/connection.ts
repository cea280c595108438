import { AdcubeError } from './errors.ts'

export type ConnectionOptions = {
  /** Such as https://adcube.example.com */
  readonly baseUrl: string | URL
  readonly apiKey: string
  /** How often a request is sent again that was lost, limited or met a busy server. 4 if omitted; 0 turns it off. */
  readonly retries?: number
  /** The longest wait that a rate limit may ask for; beyond it the error is thrown. 90 seconds if omitted. */
  readonly retryAfterMaxSeconds?: number
  readonly fetch?: typeof fetch
}

type Sent = {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Whether the address carries its own permission, as that of a report does. */
  readonly isSigned?: boolean
}

/** Of an answer that is no problem document, such as the page of a proxy. */
const notOurs = 'This is not an Adcube server. Check the base URL.'
/** A lost connection, a limit, a server that is starting, busy or away: all may pass. */
const mayPass = new Set([0, 408, 425, 429, 502, 503, 504])
const firstWaitMs = 500

/** Sends requests with the key, and again where that may help and does no harm. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly retries: number

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.retries = options.retries ?? 4
  }

  /** All requests can be repeated: queries change nothing, jobs are sent with an Idempotency-Key. */
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

  /** Whether it makes sense to try again, once this has waited as long as it should. */
  async waitToRetry(error: unknown, attempt: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (attempt >= this.retries || signal?.aborted) return false
    if (error instanceof AdcubeError && !mayPass.has(error.status)) return false
    const asked = error instanceof AdcubeError ? error.retryAfterSeconds : undefined
    if (asked !== undefined && asked > (this.#options.retryAfterMaxSeconds ?? 90)) return false
    // Not all clients at once, where a server has just come back.
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
        // To another host the key would go along.
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
      throw new AdcubeError(
        { status: 0, code: 'unreachable', title: 'The server cannot be reached', detail },
        { cause },
      )
    }
    if (response.ok) return response
    const problem: unknown = await response.json().catch(() => undefined)
    const known = typeof problem === 'object' && problem !== null && 'code' in problem && 'detail' in problem
    const unexpected = {
      status: response.status,
      code: 'unexpected',
      title: `HTTP ${response.status}`,
      detail: notOurs,
    }
    throw new AdcubeError((known ? problem : unexpected) as ConstructorParameters<typeof AdcubeError>[0], {
      retryAfterSeconds: readSeconds(response.headers.get('retry-after')),
    })
  }
}

const readSeconds = (text: string | null): number | undefined =>
  text !== null && /^\d+$/.test(text) ? Number(text) : undefined

/** Waits, or throws the signal's reason as soon as it is aborted. */
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
