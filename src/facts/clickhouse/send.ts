import { addAbortSignal, Readable } from 'node:stream'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import type { Statement } from '../compile.ts'
import { formOf } from './form.ts'

export type SendOptions = {
  /** Names the statement in the server's own records. */
  readonly id?: string | undefined
  readonly settings: ClickHouseSettings
  /** Ends the answer too, at whatever point it is. */
  readonly signal: AbortSignal
}

/** Sends a statement and returns the answer as it comes. An answer that breaks off is an error of the stream. */
export async function send(
  client: ClickHouseClient,
  statement: Statement,
  { id, settings, signal }: SendOptions,
): Promise<Readable> {
  const { contentType, body } = formOf(statement)
  // The client does not look whether a signal has been given already.
  signal.throwIfAborted()
  const { stream } = await client.exec({
    // It is in the form, with all the rest.
    query: '',
    values: Readable.from([body]),
    http_headers: { 'content-type': contentType },
    clickhouse_settings: settings,
    abort_signal: signal,
    ...(id !== undefined && { query_id: id }),
  })
  return addAbortSignal(signal, stream)
}

/** The server counts in seconds. */
export const secondsOf = (ms: number): number => Math.ceil(ms / 1_000)
