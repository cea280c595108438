import { randomUUID } from 'node:crypto'
import { addAbortSignal, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
  type ClickHouseSettings,
} from '@clickhouse/client'
import type { Statement } from '../compile.ts'
import { withDeadline } from '../errors.ts'
import { formOf } from './form.ts'
import { toFactsError } from './trouble.ts'

/** Queries and exports have limits of their own. */
export const defaultTimeouts = {
  probeMsMax: 3_000,
  /** Small questions and changes of the schema. */
  statementMsMax: 60_000,
  /** A removal goes through all that is stored, and rewrites the days of what it finds. */
  removalMsMax: 10 * 60_000,
  /** One file: the facts of an account and day. A million facts take some seconds and 60 MB. */
  insertMsMax: 30 * 60_000,
}
export type Timeouts = Readonly<typeof defaultTimeouts>

/**
 * The writer may change our tables, the reader may only read them. The server refuses requests that name a database that
 * does not exist, so before it does, the writer connects without it.
 */
type User = 'writer' | 'reader' | 'writerWithoutDatabase'

type Question = Partial<Statement> & {
  readonly sql: string
  readonly as?: User
  readonly msMax?: number
  readonly settings?: ClickHouseSettings
}

type SendOptions = {
  /** Names the statement in the server's own records. */
  readonly id?: string | undefined
  readonly settings: ClickHouseSettings
  /** Also ends an answer that has begun. */
  readonly signal: AbortSignal
}

type Addresses = { readonly url: string; readonly readerUrl: string | undefined }

const defaultDatabase = 'adcube'

const common: ClickHouseClientConfigOptions = {
  application: 'adcube',
  // Every call has a deadline. This limit is for silence, and an export is silent for as long as it sorts.
  request_timeout: 24 * 3_600_000,
  max_open_connections: 64,
  // Errors are thrown, and logged once, by the caller.
  log: { level: ClickHouseLogLevel.OFF },
}

/** A ClickHouse server and the database in it that holds the facts. Connects when it is first used. */
export class Server {
  readonly database: string
  readonly timeouts: Timeouts
  readonly clients: Readonly<Record<User, ClickHouseClient>>

  constructor({ url, readerUrl = url }: Addresses, timeouts: Timeouts = defaultTimeouts) {
    const { address, database } = splitAddress(url)
    this.database = database
    this.timeouts = timeouts
    this.clients = {
      writerWithoutDatabase: createClient({ ...common, url: address }),
      writer: createClient({ ...common, url: address, database }),
      reader: createClient({ ...common, url: splitAddress(readerUrl).address, database }),
    }
  }

  /** Runs a statement and returns its rows. */
  async ask<Row>(question: Question): Promise<Row[]> {
    const settings = { ...question.settings, output_format_json_quote_64bit_integers: 0 } as const
    const answer = await this.run({ ...question, sql: `${question.sql}\nFORMAT JSONEachRow`, settings })
    return linesOf(answer).map((line) => JSON.parse(line) as Row)
  }

  /** Runs a statement to its end, and returns the answer as the server writes it. */
  run({ sql, params = {}, as = 'writer', msMax = this.timeouts.statementMsMax, settings }: Question): Promise<string> {
    return withDeadline({ msMax, toFactsError }, async (signal) =>
      // An error half-way is reported as an error only if the server waits for the end.
      text(await this.send(as, { sql, params }, { settings: { ...settings, wait_end_of_query: 1 }, signal })),
    )
  }

  /** Sends a statement and returns the answer as it comes. An answer that breaks off is an error of the stream. */
  async send(as: User, statement: Statement, { id, settings, signal }: SendOptions): Promise<Readable> {
    const { contentType, body } = formOf(statement)
    // The client does not check whether the signal has already been given.
    signal.throwIfAborted()
    const { stream } = await this.clients[as].exec({
      // The statement is in the form.
      query: '',
      values: Readable.from([body]),
      http_headers: { 'content-type': contentType },
      clickhouse_settings: settings,
      abort_signal: signal,
      ...(id !== undefined && { query_id: id }),
    })
    return addAbortSignal(signal, stream)
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.clients).map((client) => client.close()))
  }
}

/** The path of a URL names the database. */
function splitAddress(text: string): { readonly address: string; readonly database: string } {
  const url = new URL(text)
  const database = decodeURIComponent(url.pathname.slice(1)) || defaultDatabase
  url.pathname = ''
  return { address: url.href, database }
}

export const linesOf = (answer: string): string[] => answer.split('\n').filter((line) => line !== '')

/** Settings count in seconds. */
export const secondsOf = (ms: number): number => Math.ceil(ms / 1_000)

/** A name that no other statement has: a report that is made again may begin while its first attempt is still ending. */
export const queryIdOf = (id: string): string => `${id}_${randomUUID()}`

/** The beginning of the names of all inserts of a load, so that its removal can stop them. */
export const queryIdPrefixOf = (load: number): string => `load_${load}_`
