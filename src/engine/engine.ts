import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
} from '@clickhouse/client'
import type { Logger } from 'pino'
import { EngineError, toEngineError } from './errors.ts'
import { borrowEndpoint, lendEndpoint } from './lend-endpoint.ts'
import { PrivateEngine, type Endpoint } from './private-engine.ts'

/** The ClickHouse that holds the facts: our own child process, or a server that the operator runs. */
export interface Engine {
  readonly database: string
  /** May only SELECT our tables. Both throw EngineError where the engine is away. */
  reader(): ClickHouseClient
  /** May change our tables. */
  writer(): ClickHouseClient
  /** The process of the private engine, while there is one. */
  readonly pid: number | undefined
  close(): Promise<void>
}

export type EngineOptions = {
  readonly folder: string
  readonly node: string
  readonly url: string | undefined
  readonly readerUrl: string | undefined
  readonly log: Logger
}

type Clients = { readonly reader: ClickHouseClient; readonly writer: ClickHouseClient }

const privateDatabase = 'adcube'

/** Longer than any limit we set on a query, so that the engine's own word about it is heard first. */
const requestTimeoutMs = 25 * 3_600_000

const common: ClickHouseClientConfigOptions = {
  application: 'adcube',
  request_timeout: requestTimeoutMs,
  max_open_connections: 64,
  // Long lists of filter values do not fit into an address.
  use_multipart_params_auto: true,
  // What fails is thrown, and logged once, by whoever catches it.
  log: { level: ClickHouseLogLevel.OFF },
}

export async function openEngine(options: EngineOptions): Promise<Engine> {
  return options.url === undefined ? openPrivateEngine(options) : openRemoteEngine(options.url, options)
}

/** For commands, which may run beside a server: its engine where there is one, since a folder is open to one only. */
export async function borrowOrOpenEngine(options: EngineOptions): Promise<Engine> {
  if (options.url !== undefined) return openEngine(options)
  const endpoint = await borrowEndpoint(options.folder)
  if (endpoint) return attachEngine(endpoint)
  try {
    return await openEngine(options)
  } catch (error) {
    // Whoever was about to start when we asked may lend by now.
    const late = await borrowEndpoint(options.folder)
    if (!late) throw error
    return attachEngine(late)
  }
}

async function openPrivateEngine({ folder, node, log }: EngineOptions): Promise<Engine> {
  let clients: Clients | undefined
  let current: Endpoint | undefined
  const engine = new PrivateEngine({
    folder,
    database: privateDatabase,
    node,
    log,
    onChange: (endpoint) => {
      // An open connection would make the engine wait for it before it ends.
      void clients?.reader.close()
      void clients?.writer.close()
      clients = endpoint && connectPrivately(endpoint)
      current = endpoint
    },
  })
  try {
    const endpoint = await engine.start()
    await createDatabase(privateConfig(endpoint, 'writer'), privateDatabase)
  } catch (error) {
    await engine.stop()
    throw error
  }
  // Not before: until the engine is up the folder, and the socket in it, may be another's.
  const lending = await lendEndpoint(folder, () => current, log)
  const demand = (): Clients => {
    if (!clients) throw new EngineError('away')
    return clients
  }
  return {
    database: privateDatabase,
    reader: () => demand().reader,
    writer: () => demand().writer,
    get pid() {
      return engine.pid
    },
    close: async () => {
      // First, while the folder is ours: afterwards the socket may be another's.
      await lending.close()
      await engine.stop()
    },
  }
}

/** A private engine that another process of ours runs. */
export async function attachEngine(endpoint: Endpoint): Promise<Engine> {
  await createDatabase(privateConfig(endpoint, 'writer'), privateDatabase)
  return engineOf(connectPrivately(endpoint), privateDatabase)
}

const connectPrivately = (endpoint: Endpoint): Clients => ({
  reader: createClient({ ...privateConfig(endpoint, 'reader'), database: privateDatabase }),
  writer: createClient({ ...privateConfig(endpoint, 'writer'), database: privateDatabase }),
})

function privateConfig({ url, users }: Endpoint, role: 'reader' | 'writer'): ClickHouseClientConfigOptions {
  const { name, password } = users[role]
  return {
    ...common,
    url,
    set_basic_auth_header: false,
    http_headers: { 'X-ClickHouse-User': name, 'X-ClickHouse-Key': password },
  }
}

async function openRemoteEngine(address: string, { readerUrl, log }: EngineOptions): Promise<Engine> {
  const { url, database } = splitAddress(address)
  if (readerUrl === undefined) {
    log.warn('API queries run as the writing user: give ADCUBE_CLICKHOUSE_READER_URL a user that may only SELECT')
  }
  await createDatabase({ ...common, url }, database)
  const clients = {
    reader: createClient({ ...common, url: readerUrl === undefined ? url : splitAddress(readerUrl).url, database }),
    writer: createClient({ ...common, url, database }),
  }
  return engineOf(clients, database)
}

/** An engine that runs without us: to close it is to hang up. */
const engineOf = ({ reader, writer }: Clients, database: string): Engine => ({
  database,
  reader: () => reader,
  writer: () => writer,
  pid: undefined,
  close: async () => {
    await Promise.all([reader.close(), writer.close()])
  },
})

/** The path of an address names the database. */
function splitAddress(address: string): { readonly url: string; readonly database: string } {
  const url = new URL(address)
  const database = decodeURIComponent(url.pathname.slice(1)) || privateDatabase
  url.pathname = ''
  return { url: url.href, database }
}

/** A client that names a database cannot create it: the engine looks for it first. */
async function createDatabase(config: ClickHouseClientConfigOptions, database: string): Promise<void> {
  const client = createClient(config)
  try {
    await client.command({
      query: 'CREATE DATABASE IF NOT EXISTS {database:Identifier}',
      query_params: { database },
    })
  } catch (error) {
    throw toEngineError(error)
  } finally {
    await client.close()
  }
}
