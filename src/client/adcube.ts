import type { JobRecord, MetadataAnswer, QueryAnswer, RangesAnswer } from '../contract/answers.ts'
import { Connection, delay, type ConnectionOptions } from './connection.ts'
import { AdcubeError, ReportFailed } from './errors.ts'
import type { CubeName, DimensionName, MetricName, Query, Row } from './fields.ts'
import { Report } from './report.ts'

export type Answer<Dimension extends string, Metric extends string> = {
  readonly data: readonly Row<Dimension, Metric>[]
  readonly meta: QueryAnswer['meta']
}

export type Metadata = MetadataAnswer

/** The loaded days of a cube; null if there are none. */
export type Range = RangesAnswer[number]

type CallOptions = { readonly signal?: AbortSignal | undefined }
type ReportOptions = CallOptions & {
  /** Called with the job each time its status was read. Its `progress` goes from 0 to 1. */
  readonly onProgress?: (job: JobRecord) => void
}

/** Short waits at first, for small reports; then ten seconds, because ten status requests a minute are allowed. */
const pollMs = (count: number): number => Math.min(10_000, 1_000 * 1.8 ** count)

/** A client of the API. It runs in Node, Deno, Bun and browsers. */
export class Adcube {
  readonly #connection: Connection

  constructor(options: ConnectionOptions) {
    this.#connection = new Connection(options)
  }

  /** Returns rows: at most two dimensions, five metrics, 14 days and 1,000 rows. */
  query<
    const Cube extends CubeName,
    const Dimension extends DimensionName<Cube>,
    const Metric extends MetricName<Cube>,
  >(
    cube: Cube,
    query: Query<Cube, Dimension, Metric>,
    { signal }: CallOptions = {},
  ): Promise<Answer<Dimension, Metric>> {
    return this.#connection.json(`v2/data/synchronous?cube=${cube}`, { method: 'POST', body: query, signal })
  }

  /** Starts a job: at most ten dimensions, ten metrics, 31 days and ten million rows. */
  startReport<const Cube extends CubeName>(
    cube: Cube,
    query: Query<Cube>,
    { signal }: CallOptions = {},
  ): Promise<JobRecord> {
    // A repeated request must not start a second job.
    const headers = { 'idempotency-key': crypto.randomUUID() }
    return this.#connection.json(`v2/data/asynchronous?cube=${cube}`, { method: 'POST', body: query, headers, signal })
  }

  /**
   * Starts a job and waits until its report is ready. Nothing is downloaded yet. If `signal` is aborted, the job goes on;
   * `openReport` finds it again.
   */
  async report<
    const Cube extends CubeName,
    const Dimension extends DimensionName<Cube>,
    const Metric extends MetricName<Cube>,
  >(
    cube: Cube,
    query: Query<Cube, Dimension, Metric>,
    options: ReportOptions = {},
  ): Promise<Report<Dimension, Metric>> {
    return this.#waitFor(await this.startReport(cube, query, options), query.metrics, options)
  }

  /** Waits for a job that was started before. `metrics` are the columns that `rows()` reads as numbers. */
  async openReport<const Metric extends string = never>(
    jobId: string,
    { metrics = [], ...options }: ReportOptions & { readonly metrics?: readonly Metric[] } = {},
  ): Promise<Report<string, Metric>> {
    return this.#waitFor(await this.job(jobId, options), metrics, options)
  }

  /** Returns the jobs of the last 24 hours or, with `status`, all jobs with that status; newest first. */
  jobs({ status, signal }: CallOptions & { readonly status?: JobRecord['job_status'] } = {}): Promise<JobRecord[]> {
    return this.#connection.json(`v2/data/status${status === undefined ? '' : `?jobStatus=${status}`}`, { signal })
  }

  /** Returns the status of a job. */
  async job(jobId: string, { signal }: CallOptions = {}): Promise<JobRecord> {
    const path = `v2/data/status?jobId=${encodeURIComponent(jobId)}`
    const [job] = await this.#connection.json<JobRecord[]>(path, { signal })
    if (job) return job
    const detail = `Unknown job ${jobId}.`
    throw new AdcubeError({ status: 404, code: 'not_found', title: 'Not found', detail }, {})
  }

  /** Cancels a running job, or removes a finished one. */
  async cancel(jobId: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#connection.json(`v2/data/status?jobId=${encodeURIComponent(jobId)}`, { method: 'DELETE', signal })
  }

  /** Returns the first and last loaded day of each cube. */
  ranges({ signal }: CallOptions = {}): Promise<Range[]> {
    return this.#connection.json('v2/data', { signal })
  }

  /** Returns all fields with their formulas, and the limits. */
  metadata({ signal }: CallOptions = {}): Promise<Metadata> {
    return this.#connection.json('v2/data/metadata', { signal })
  }

  async #waitFor<Dimension extends string, Metric extends string>(
    started: JobRecord,
    metrics: readonly Metric[],
    { signal, onProgress }: ReportOptions,
  ): Promise<Report<Dimension, Metric>> {
    let job = started
    onProgress?.(job)
    for (let count = 0; job.job_status === 'PROCESSING'; count++) {
      await delay(pollMs(count), signal)
      job = await this.job(job.job_id, { signal })
      onProgress?.(job)
    }
    if (job.job_status === 'FAILED') throw new ReportFailed(job)
    return new Report(this.#connection, job, metrics, (options) => this.job(job.job_id, options))
  }
}
