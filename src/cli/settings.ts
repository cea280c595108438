import { isIP } from 'node:net'
import { join } from 'node:path'
import { suggest } from '../query/faults.ts'
import type { StorePlace } from '../store/open-store.ts'
import { httpUrl, oneOf, onOrOff, originList, postgresUrl, serverUrl, text, whole, type Parser } from './parsers.ts'

type Row = {
  readonly type: Parser<unknown>
  readonly help: string
  /** If omitted, the setting is undefined while it is not set. */
  readonly fallback?: string
  /** It may contain a password: it is no flag, which other users could read, and is never shown. */
  readonly isSecret?: true
}

/**
 * All settings. `dataDir` is the variable ADCUBE_DATA_DIR and the option --data-dir. Types, parsing, options, help and
 * the table in docs/settings.md (`npm run docs:tables`) are made from these rows.
 */
const rows = {
  dataDir: { type: text, fallback: './data', help: 'Folder for all data' },
  host: {
    type: text,
    fallback: '127.0.0.1',
    help: 'Address to listen on; any other than loopback requires TLS or a trusted proxy',
  },
  port: { type: whole(0, 65_535), fallback: '8080', help: 'Port to listen on; 0 picks a free one' },
  metricsHost: { type: text, fallback: '127.0.0.1', help: 'Address for /metrics; plain HTTP without authentication' },
  metricsPort: { type: whole(0, 65_535), help: 'Port for /metrics, /healthz and /readyz; if empty, metrics are off' },
  tlsCert: { type: text, help: 'File with the certificate chain (PEM)' },
  tlsKey: { type: text, help: "File with the certificate's private key (PEM)" },
  trustProxy: {
    type: onOrOff,
    fallback: 'off',
    help: '`on` behind a proxy that terminates TLS and sets X-Forwarded-For and X-Forwarded-Proto',
  },
  addressConnections: {
    type: whole(1, 20_000),
    fallback: '256',
    help: 'Connections that one IP address can have at the same time; not limited with ADCUBE_TRUST_PROXY',
  },
  allowedOrigins: {
    type: originList,
    help: 'Origins of web pages that may call the API and download reports, with commas between them, such as `https://app.example.com`; `*` allows all. If empty, browsers let no other page read answers',
  },
  clickhouseUrl: {
    type: httpUrl,
    isSecret: true,
    help: 'ClickHouse server that stores the facts, instead of files in the data folder: http(s)://user:password@host:port/database',
  },
  clickhouseReaderUrl: {
    type: httpUrl,
    isSecret: true,
    help: 'The same server with a user that can only SELECT; used for API queries',
  },
  databaseUrl: {
    type: postgresUrl,
    isSecret: true,
    help: 'PostgreSQL database for the control data, which several nodes can share: postgres://user:password@host:port/database',
  },
  rateLimits: { type: onOrOff, fallback: 'on', help: '`off` disables rate limits, for benchmarks' },
  querySeconds: { type: whole(1, 3_600), fallback: '30', help: 'Time limit of a synchronous query' },
  queryMemoryMb: {
    type: whole(64, 1_048_576),
    fallback: '2048',
    help: 'Memory limit of the query process; with ClickHouse, of one query',
  },
  cacheMb: {
    type: whole(0, 1_048_576),
    fallback: '256',
    help: 'Memory for answers to queries that are repeated while no load changes their days; 0 remembers none',
  },
  spillMb: {
    type: whole(0, 1_073_741_824),
    help: 'Disk space that queries, and each report and load, may use for what does not fit into their memory; if empty, a fifth of what is free when they begin',
  },
  rollupFacts: {
    type: whole(0, 1_000_000_000),
    fallback: '100000',
    help: 'Minimum facts per account and day for a rollup, which speeds up queries with at most one dimension; 0 writes none',
  },
  publicUrl: {
    type: serverUrl,
    help: 'Public address of this service, for download addresses; if empty, taken from the request',
  },
  reports: { type: text, help: 'Folder for reports, which nodes can share; if empty, `reports` in the data folder' },
  reportDays: { type: whole(1, 366), fallback: '7', help: 'Days that reports and their jobs are kept' },
  exports: {
    type: whole(0, 64),
    fallback: '2',
    help: 'Number of reports that this process makes at the same time; 0 leaves them to `adcube worker`',
  },
  exportMinutes: { type: whole(1, 24 * 60), fallback: '60', help: 'Time limit of a job, including the time it waits' },
  exportMemoryMb: { type: whole(64, 1_048_576), fallback: '3072', help: 'Memory limit for making one report' },
  exportFreeMb: {
    type: whole(0, 1_048_576),
    fallback: '1024',
    help: 'Free disk space that reports require; with less, they wait',
  },
  demoDays: { type: whole(1, 400), help: 'Days of sample data that `--demo` creates; if empty, 13 months' },
  logLevel: {
    type: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    fallback: 'info',
    help: 'Least severe level that is logged',
  },
} satisfies Record<string, Row>

type Key = keyof typeof rows
type Read<R extends Row> =
  | (R extends { type: Parser<infer T> } ? T : never)
  | (R extends { fallback: string } ? never : undefined)
type Values = { readonly [K in Key]: Read<(typeof rows)[K]> }
type Env = Readonly<Record<string, string | undefined>>
/** Options in camelCase, as Commander has them. */
type Flags = Readonly<Record<string, unknown>>

export type Settings = Values & { readonly reports: string }

const snakeCase = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

export const settingRows = Object.entries<Row>(rows).map(([key, row]) => ({
  ...row,
  key,
  name: `ADCUBE_${snakeCase(key)}`,
  flag: snakeCase(key).toLowerCase().replaceAll('_', '-'),
  choices: row.type.choices,
}))

/** Variables of the commands that ask a server. */
export const clientSettings = [
  { name: 'ADCUBE_BASE_URL', help: 'Address of the server; if unset, `http://127.0.0.1:8080`' },
  { name: 'ADCUBE_API_KEY', help: 'API key' },
]

/** Warnings about variables that are probably misspelt; they may also belong to another version. */
export function unknownSettings(env: Env): string[] {
  const known = [...settingRows, ...clientSettings].map(({ name }) => name)
  return Object.keys(env)
    .filter((name) => name.startsWith('ADCUBE_') && !known.includes(name))
    .map((name) => `${name} is not a setting of this version.${suggest(name, known)}`)
}

/** Reads flags first, then the environment, where an empty variable counts as not set, because compose files make those. */
function readRows(env: Env, flags: Flags, keys: readonly Key[] = Object.keys(rows) as Key[]) {
  const faults: string[] = []
  const values = settingRows
    .filter(({ key }) => keys.includes(key as Key))
    .map(({ key, name, type, fallback, isSecret }) => {
      const flag = flags[key]
      const given = typeof flag === 'string' ? flag : env[name] || (fallback ?? '')
      if (given === '' && fallback === undefined) return [key, undefined]
      const value = type.read(given)
      if (value === undefined) faults.push(`${name} must be ${type.expected}${isSecret ? '' : `, not "${given}"`}.`)
      // With a fault, the value only tells that the setting is set.
      return [key, value ?? given]
    })
  return { faults, values: Object.fromEntries(values) as Values }
}

/** Returns the place of the control data, for commands that need nothing else. */
export function readStorePlace(env: Env, flags: Flags): StorePlace {
  const { faults, values } = readRows(env, flags, ['dataDir', 'databaseUrl'])
  if (faults.length > 0) throw new UsageError(...faults)
  return { folder: values.dataDir, databaseUrl: values.databaseUrl }
}

/** Reads all settings; throws one error with all faults. */
export function readSettings(env: Env, flags: Flags = {}): Settings {
  const { faults, values } = readRows(env, flags)
  const { dataDir, reports, tlsCert, tlsKey, clickhouseUrl, clickhouseReaderUrl } = values
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    faults.push('ADCUBE_TLS_CERT and ADCUBE_TLS_KEY must be set together.')
  }
  if (clickhouseReaderUrl !== undefined && clickhouseUrl === undefined) {
    faults.push('ADCUBE_CLICKHOUSE_READER_URL requires ADCUBE_CLICKHOUSE_URL.')
  }
  if (faults.length > 0) throw new UsageError(...faults)
  return { ...values, reports: reports ?? join(dataDir, 'reports') }
}

/** Checks for a host that only this machine can reach. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** Throws if API keys would be sent unencrypted. */
export function requireSafeHost({ host, tlsCert, trustProxy }: Settings): void {
  if (isLoopback(host) || tlsCert !== undefined || trustProxy) return
  throw new UsageError(
    `ADCUBE_HOST is ${host}, which other machines can reach, so API keys would be sent unencrypted. Set ADCUBE_TLS_CERT ` +
      'and ADCUBE_TLS_KEY, or ADCUBE_TRUST_PROXY=on behind a proxy that terminates TLS.',
  )
}

/** A setting or an option is wrong: exit code 2. The message has a line for each fault. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(...faults: readonly string[]) {
    super(faults.join('\n'))
  }
}
