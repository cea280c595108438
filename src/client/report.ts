import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { JobRecord } from '../contract/answers.ts'
import type { Connection } from './connection.ts'
import { ReportDamaged } from './errors.ts'
import type { Row } from './fields.ts'
import { CsvRows } from './parse-csv.ts'

type Signal = { readonly signal?: AbortSignal | undefined }
type DownloadOptions = Signal & {
  /** The bytes that an earlier download has saved, from the first one on. The stream has the rest. */
  readonly have?: AsyncIterable<Uint8Array>
}

/** A finished report on the server. It is downloaded while it is read, a piece at a time. */
export class Report<Dimension extends string = string, Metric extends string = string> {
  readonly job: JobRecord
  readonly #connection: Connection
  readonly #metrics: ReadonlySet<string>
  readonly #refresh: (options: Signal) => Promise<JobRecord>

  constructor(
    connection: Connection,
    job: JobRecord,
    metrics: readonly Metric[],
    refresh: (options: Signal) => Promise<JobRecord>,
  ) {
    this.job = job
    this.#connection = connection
    this.#metrics = new Set(metrics)
    this.#refresh = refresh
  }

  /**
   * The bytes of the CSV. An interrupted download is resumed. At the end the checksum is compared, and the stream fails
   * if it is wrong.
   */
  stream(options: DownloadOptions = {}): ReadableStream<Uint8Array<ArrayBuffer>> {
    const chunks = this.#download(options)
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return(undefined)
      },
    })
  }

  /** Writes the CSV to a stream and closes it. If it throws, the stream has only a part of the report. */
  async saveTo(target: WritableStream<Uint8Array<ArrayBuffer>>, options: Signal = {}): Promise<void> {
    await this.stream(options).pipeTo(target)
  }

  /** Yields the rows one by one. */
  async *rows(options: Signal = {}): AsyncGenerator<Row<Dimension, Metric>> {
    const csv = new CsvRows()
    const decoder = new TextDecoder()
    let names: readonly string[] | undefined
    for await (const chunk of this.#download(options)) {
      for (const fields of csv.add(decoder.decode(chunk, { stream: true }))) {
        if (names === undefined) names = fields
        else yield this.#readRow(names, fields)
      }
    }
  }

  #readRow(names: readonly string[], fields: readonly string[]): Row<Dimension, Metric> {
    const row: Record<string, string | number | null> = {}
    for (const [index, name] of names.entries()) {
      const text = fields[index] ?? ''
      row[name] = text === '' ? null : this.#metrics.has(name) ? Number(text) : text
    }
    return row as Row<Dimension, Metric>
  }

  async *#download({ signal, have }: DownloadOptions): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const bytes = this.job.bytes ?? 0
    const hash = sha256.create()
    let at = 0
    for await (const chunk of have ?? []) {
      hash.update(chunk)
      at += chunk.length
    }
    let failures = 0
    while (at < bytes) {
      const from = at
      try {
        for await (const chunk of this.#readFrom(from, signal)) {
          hash.update(chunk)
          at += chunk.length
          yield chunk
        }
        if (at === from) throw new Error('The download was interrupted.')
      } catch (error) {
        failures = at === from ? failures + 1 : 0
        if (!(await this.#connection.waitToRetry(error, failures, signal))) throw error
      }
    }
    if (`sha256:${bytesToHex(hash.digest())}` !== this.job.checksum)
      throw new ReportDamaged('The checksum of the download does not match.')
  }

  async *#readFrom(from: number, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    // A new address to resume with: the first one is valid for a day only.
    const { output_url: url } = from === 0 ? this.job : await this.#refresh({ signal })
    const headers = from === 0 ? {} : { range: `bytes=${from}-` }
    const response = await this.#connection.send(url, { headers, signal, isSigned: true })
    const reader = response.body!.getReader()
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
    } finally {
      // Ends the download if the reader stops early.
      await reader.cancel().catch(() => {})
    }
  }
}
