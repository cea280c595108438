import { setTimeout as delay } from 'node:timers/promises'
import { auctions } from '../src/catalog/auctions.ts'

type Job = {
  readonly job_id: string
  readonly job_status: string
  readonly output_url: string
  readonly started_at: string
  readonly finished_at: string
  readonly progress: number
  readonly bytes: number
  readonly checksum: string
  readonly failure_reason: string | null
}

const pollMs = 1_000
/** So far apart are the progress lines, at least. */
const tellMs = 30_000

/** A caller who starts reports and waits for them. */
export class JobClient {
  readonly #url: string
  readonly #key: string
  readonly #signal: AbortSignal

  constructor(url: string, key: string, signal: AbortSignal) {
    this.#url = url
    this.#key = key
    this.#signal = signal
  }

  async start(query: object): Promise<string> {
    const path = `/v2/data/asynchronous?cube=${auctions.alias}`
    return ((await this.#call('POST', path, query)) as Job).job_id
  }

  /** Waits until the engine has begun to read. */
  async begun(id: string): Promise<void> {
    while ((await this.#find(id)).progress === 0) await delay(pollMs)
  }

  async end(id: string, onProgress: (progress: number) => void = () => {}): Promise<Job> {
    let toldAt = performance.now()
    for (;;) {
      const job = await this.#find(id)
      if (job.job_status === 'SUCCESS') return job
      if (job.job_status === 'FAILED') throw new Error(`The report failed: ${job.failure_reason}`)
      if (performance.now() - toldAt > tellMs) {
        onProgress(job.progress)
        toldAt = performance.now()
      }
      await delay(pollMs)
    }
  }

  async cancel(id: string): Promise<void> {
    await this.#call('DELETE', `/v2/data/status?jobId=${id}`)
  }

  async #find(id: string): Promise<Job> {
    const [job] = (await this.#call('GET', `/v2/data/status?jobId=${id}`)) as readonly Job[]
    if (!job) throw new Error(`There is no job ${id}.`)
    return job
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(new URL(path, this.#url), {
      method,
      headers: { 'x-api-key': this.#key, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
      signal: this.#signal,
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`The API answered ${response.status}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}
