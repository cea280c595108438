import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
} from '@clickhouse/client'
import type { Timeouts } from './timeouts.ts'

/** A ClickHouse server, by its address, and the database in it that holds the facts. */
export type Server = {
  readonly database: string
  /** As the user that may change our tables. */
  readonly writer: ClickHouseClient
  /** As a user that may only read them. */
  readonly reader: ClickHouseClient
  /** As the writer, before the database exists: the server refuses a request that names an unknown one. */
  readonly founder: ClickHouseClient
  readonly timeouts: Timeouts
  close(): Promise<void>
}

type Addresses = { readonly url: string; readonly readerUrl: string | undefined }

const defaultDatabase = 'adcube'

const common: ClickHouseClientConfigOptions = {
  application: 'adcube',
  // Every call has a deadline of its own. This one is about silence, and an export is silent for as long as it sorts.
  request_timeout: 24 * 3_600_000,
  max_open_connections: 64,
  // What fails is thrown, and logged once, by whoever catches it.
  log: { level: ClickHouseLogLevel.OFF },
}

/** Opens no connection yet. */
export function connect({ url, readerUrl = url }: Addresses, timeouts: Timeouts): Server {
  const { address, database } = splitAddress(url)
  const founder = createClient({ ...common, url: address })
  const writer = createClient({ ...common, url: address, database })
  const reader = createClient({ ...common, url: splitAddress(readerUrl).address, database })
  return {
    database,
    writer,
    reader,
    founder,
    timeouts,
    close: async () => {
      await Promise.all([founder.close(), writer.close(), reader.close()])
    },
  }
}

/** The path of an address names the database. */
function splitAddress(text: string): { readonly address: string; readonly database: string } {
  const url = new URL(text)
  const database = decodeURIComponent(url.pathname.slice(1)) || defaultDatabase
  url.pathname = ''
  return { address: url.href, database }
}
