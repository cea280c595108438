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
  /** Called with every news of the job: its `progress` goes from 0 to 1. */
  readonly onProgress?: (job: JobRecord) => void
}

/** Ten questions a minute are allowed: at first quickly, for small reports, and then every ten seconds. */
const pollMs = (count: number): number => Math.min(10_000, 1_000 * 1.8 ** count)

/** The API of an Adcube, with web standards only: the same in Node, Deno, Bun and browsers. */
export class Adcube {
  readonly #connection: Connection

  constructor(options: ConnectionOptions) {
    this.#connection = new Connection(options)
  }

  /** Rows at once: at most two dimensions, five metrics, 14 days and 1,000 rows. */
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

  /** Starts a report: at most ten dimensions, ten metrics, 31 days and ten million rows. */
  startReport<const Cube extends CubeName>(
    cube: Cube,
    query: Query<Cube>,
    { signal }: CallOptions = {},
  ): Promise<JobRecord> {
    // One job, however often the request has to be sent.
    const headers = { 'idempotency-key': crypto.randomUUID() }
    return this.#connection.json(`v2/data/asynchronous?cube=${cube}`, { method: 'POST', body: query, headers, signal })
  }

  /**
   * Starts a report and waits until it is ready. Nothing is downloaded yet. A report that was given up here goes on at the
   * server; `openReport` finds it again.
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

  /** A report that was started before, once it is ready. `metrics` are the columns that `rows()` reads as numbers. */
  async openReport<const Metric extends string = never>(
    jobId: string,
    { metrics = [], ...options }: ReportOptions & { readonly metrics?: readonly Metric[] } = {},
  ): Promise<Report<string, Metric>> {
    return this.#waitFor(await this.job(jobId, options), metrics, options)
  }

  /** Jobs of the last day, or all that are kept in a state, newest first. */
  jobs({ status, signal }: CallOptions & { readonly status?: JobRecord['job_status'] } = {}): Promise<JobRecord[]> {
    return this.#connection.json(`v2/data/status${status === undefined ? '' : `?jobStatus=${status}`}`, { signal })
  }

  /** How one job stands. */
  async job(jobId: string, { signal }: CallOptions = {}): Promise<JobRecord> {
    const path = `v2/data/status?jobId=${encodeURIComponent(jobId)}`
    const [job] = await this.#connection.json<JobRecord[]>(path, { signal })
    if (job) return job
    const detail = `Unknown job ${jobId}.`
    throw new AdcubeError({ status: 404, code: 'not_found', title: 'Not found', detail }, {})
  }

  /** Cancels a job that runs, and removes one that has ended. */
  async cancel(jobId: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#connection.json(`v2/data/status?jobId=${encodeURIComponent(jobId)}`, { method: 'DELETE', signal })
  }

  /** The first and last day loaded, for each cube. */
  ranges({ signal }: CallOptions = {}): Promise<Range[]> {
    return this.#connection.json('v2/data', { signal })
  }

  /** Every field with its formula, and the limits. */
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
