import { isIP } from 'node:net'
import { join } from 'node:path'
import { suggest } from '../query/faults.ts'
import type { StorePlace } from '../store/open-store.ts'

type Definition = {
  readonly fallback: string
  readonly help: string
  readonly isSecret?: true
  readonly legal?: readonly string[]
}

const onOrOff = ['on', 'off']

/**
 * Every setting: an environment variable, and as a flag of `adcube serve` the same name without its prefix, unless it
 * may hold a password, which would then stand in the list of processes.
 */
const definitions = {
  ADCUBE_DATA_DIR: { fallback: './data', help: 'Folder for all data' },
  ADCUBE_HOST: {
    fallback: '127.0.0.1',
    help: 'Address to listen on; any other than loopback requires TLS or a trusted proxy',
  },
  ADCUBE_PORT: { fallback: '8080', help: 'Port to listen on; 0 picks a free one' },
  ADCUBE_METRICS_HOST: {
    fallback: '127.0.0.1',
    help: 'Address for /metrics; plain HTTP without authentication',
  },
  ADCUBE_METRICS_PORT: { fallback: '', help: 'Port for /metrics, /healthz and /readyz; if empty, metrics are off' },
  ADCUBE_TLS_CERT: { fallback: '', help: 'File with the certificate chain (PEM)' },
  ADCUBE_TLS_KEY: { fallback: '', help: "File with the certificate's private key (PEM)" },
  ADCUBE_TRUST_PROXY: {
    fallback: 'off',
    legal: onOrOff,
    help: '`on` behind a proxy that terminates TLS and sets X-Forwarded-For and X-Forwarded-Proto',
  },
  ADCUBE_CLICKHOUSE_URL: {
    fallback: '',
    isSecret: true,
    help: 'ClickHouse server that stores the facts, instead of files in the data folder: http(s)://user:password@host:port/database',
  },
  ADCUBE_CLICKHOUSE_READER_URL: {
    fallback: '',
    isSecret: true,
    help: 'The same server with a user that can only SELECT; used for API queries',
  },
  ADCUBE_DATABASE_URL: {
    fallback: '',
    isSecret: true,
    help: 'PostgreSQL database for the control data, which several nodes can share: postgres://user:password@host:port/database',
  },
  ADCUBE_RATE_LIMITS: { fallback: 'on', legal: onOrOff, help: '`off` disables rate limits, for benchmarks' },
  ADCUBE_QUERY_SECONDS: { fallback: '30', help: 'Time limit of a synchronous query' },
  ADCUBE_QUERY_MEMORY_MB: {
    fallback: '2048',
    help: 'Memory limit of the query process; with ClickHouse, of one query',
  },
  ADCUBE_CACHE_MB: {
    fallback: '256',
    help: 'Memory for answers to queries that are repeated while no load changes their days; 0 remembers none',
  },
  ADCUBE_ROLLUP_FACTS: {
    fallback: '100000',
    help: 'Facts from which on a load writes a rollup of a day, which speeds up queries with at most one dimension; 0 writes none',
  },
  ADCUBE_PUBLIC_URL: {
    fallback: '',
    help: 'Public address of this service, for download addresses; if empty, taken from the request',
  },
  ADCUBE_REPORTS: {
    fallback: '',
    help: 'Folder for reports, which nodes can share; if empty, `reports` in the data folder',
  },
  ADCUBE_REPORT_DAYS: { fallback: '7', help: 'Days that reports and their jobs are kept' },
  ADCUBE_EXPORTS: {
    fallback: '2',
    help: 'Number of reports that this process makes at the same time; 0 leaves them to `adcube worker`',
  },
  ADCUBE_EXPORT_MINUTES: { fallback: '60', help: 'Time limit of a job, including the time it waits' },
  ADCUBE_EXPORT_MEMORY_MB: { fallback: '3072', help: 'Memory limit for making one report' },
  ADCUBE_EXPORT_FREE_MB: { fallback: '1024', help: 'Free disk space that reports require; with less, they wait' },
  ADCUBE_DEMO_DAYS: { fallback: '', help: 'Days of sample data that `--demo` creates; if empty, 13 months' },
  ADCUBE_LOG_LEVEL: {
    fallback: 'info',
    legal: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    help: 'Least severe level that is logged',
  },
} satisfies Record<string, Definition>

type Name = keyof typeof definitions
const names = Object.keys(definitions) as Name[]

export type Settings = {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly hasRateLimits: boolean
  readonly host: string
  readonly port: number
  readonly metricsHost: string
  readonly metricsPort: number | undefined
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined
  readonly trustProxy: boolean
  readonly clickhouseUrl: string | undefined
  readonly clickhouseReaderUrl: string | undefined
  readonly querySeconds: number
  readonly queryMemoryMb: number
  readonly cacheMb: number
  readonly rollupFacts: number
  readonly publicUrl: string | undefined
  readonly reportsFolder: string
  readonly reportDays: number
  readonly exports: number
  readonly exportMinutes: number
  readonly exportMemoryMb: number
  readonly exportFreeMb: number
  readonly demoDays: number | undefined
  readonly logLevel: string
}

/** The last two are for the commands that ask a server. */
const knownNames: readonly string[] = [...names, 'ADCUBE_API_KEY', 'ADCUBE_BASE_URL']

/** Names that start like ours but mean nothing: most likely a typo, possibly another version's, so only a warning. */
export const unknownSettings = (env: NodeJS.ProcessEnv): string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith('ADCUBE_') && !knownNames.includes(name))
    .map((name) => `${name} is not a setting of this version.${suggest(name, knownNames)}`)

const flagOf = (name: Name): string => name.slice('ADCUBE_'.length).toLowerCase().replaceAll('_', '-')

const isSecret = (name: Name): boolean => 'isSecret' in definitions[name]

/** What `adcube serve` takes as flags, and what it reads from the environment alone. */
export const settingFlags = names
  .filter((name) => !isSecret(name))
  .map((name): Definition & { readonly flag: string } => ({ flag: flagOf(name), ...definitions[name] }))
export const secretSettings = names.filter(isSecret).map((name) => ({ name, help: definitions[name].help }))

/** Where the control data is, for commands that need nothing else. */
export function readStorePlace(env: NodeJS.ProcessEnv, flags: Readonly<Record<string, unknown>>): StorePlace {
  const databaseUrl = readText('ADCUBE_DATABASE_URL', env, flags) || undefined
  if (!isDatabaseUrl(databaseUrl)) throw new SettingsError([databaseFault])
  return { folder: readText('ADCUBE_DATA_DIR', env, flags), databaseUrl }
}

// Never with the value: it may hold a password.
const databaseFault = 'ADCUBE_DATABASE_URL must be a URL that starts with postgres:// or postgresql://.'
const isDatabaseUrl = (url: string | undefined): boolean =>
  url === undefined || /^postgres(?:ql)?:$/.test(URL.parse(url)?.protocol ?? '')

function readText(name: Name, env: NodeJS.ProcessEnv, flags: Readonly<Record<string, unknown>>): string {
  const flag = flags[flagOf(name).replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())]
  // A variable that is set to nothing, as compose files do, is not set.
  return typeof flag === 'string' ? flag : env[name] || definitions[name].fallback
}

/** Reads all settings, flags (in camelCase) before the environment before defaults; throws one error that names every fault. */
export function readSettings(env: NodeJS.ProcessEnv, flags: Readonly<Record<string, unknown>> = {}): Settings {
  const faults: string[] = []
  const text = (name: Name): string => readText(name, env, flags)
  const optional = (name: Name): string | undefined => text(name) || undefined
  const whole = (name: Name, min: number, max: number): number => {
    const value = Number(text(name))
    if (!/^\d+$/.test(text(name)) || value < min || value > max) {
      faults.push(`${name} must be a whole number from ${min} to ${max}, not "${text(name)}".`)
    }
    return value
  }
  const oneOf = (name: Name): string => {
    const { legal = [] }: Definition = definitions[name]
    if (!legal.includes(text(name))) faults.push(`${name} must be one of ${legal.join(', ')}, not "${text(name)}".`)
    return text(name)
  }
  const address = (name: Name): string | undefined => {
    const value = optional(name)
    // Never shown: it may hold a password.
    if (value !== undefined && !/^https?:$/.test(URL.parse(value)?.protocol ?? '')) {
      faults.push(`${name} must be a URL that starts with http:// or https://.`)
    }
    return value
  }

  const certFile = optional('ADCUBE_TLS_CERT')
  const keyFile = optional('ADCUBE_TLS_KEY')
  if ((certFile === undefined) !== (keyFile === undefined)) {
    faults.push('ADCUBE_TLS_CERT and ADCUBE_TLS_KEY must be set together.')
  }
  const databaseUrl = optional('ADCUBE_DATABASE_URL')
  if (!isDatabaseUrl(databaseUrl)) faults.push(databaseFault)
  const settings: Settings = {
    dataDir: text('ADCUBE_DATA_DIR'),
    databaseUrl,
    hasRateLimits: oneOf('ADCUBE_RATE_LIMITS') === 'on',
    host: text('ADCUBE_HOST'),
    port: whole('ADCUBE_PORT', 0, 65_535),
    metricsHost: text('ADCUBE_METRICS_HOST'),
    metricsPort: optional('ADCUBE_METRICS_PORT') === undefined ? undefined : whole('ADCUBE_METRICS_PORT', 0, 65_535),
    tls: certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : undefined,
    trustProxy: oneOf('ADCUBE_TRUST_PROXY') === 'on',
    clickhouseUrl: address('ADCUBE_CLICKHOUSE_URL'),
    clickhouseReaderUrl: address('ADCUBE_CLICKHOUSE_READER_URL'),
    querySeconds: whole('ADCUBE_QUERY_SECONDS', 1, 3_600),
    queryMemoryMb: whole('ADCUBE_QUERY_MEMORY_MB', 64, 1_048_576),
    cacheMb: whole('ADCUBE_CACHE_MB', 0, 1_048_576),
    rollupFacts: whole('ADCUBE_ROLLUP_FACTS', 0, 1_000_000_000),
    publicUrl: address('ADCUBE_PUBLIC_URL')?.replace(/\/+$/, ''),
    reportsFolder: optional('ADCUBE_REPORTS') ?? join(text('ADCUBE_DATA_DIR'), 'reports'),
    reportDays: whole('ADCUBE_REPORT_DAYS', 1, 366),
    exports: whole('ADCUBE_EXPORTS', 0, 64),
    exportMinutes: whole('ADCUBE_EXPORT_MINUTES', 1, 24 * 60),
    exportMemoryMb: whole('ADCUBE_EXPORT_MEMORY_MB', 64, 1_048_576),
    exportFreeMb: whole('ADCUBE_EXPORT_FREE_MB', 0, 1_048_576),
    demoDays: optional('ADCUBE_DEMO_DAYS') === undefined ? undefined : whole('ADCUBE_DEMO_DAYS', 1, 400),
    logLevel: oneOf('ADCUBE_LOG_LEVEL'),
  }
  if (settings.clickhouseReaderUrl !== undefined && settings.clickhouseUrl === undefined) {
    faults.push('ADCUBE_CLICKHOUSE_READER_URL requires ADCUBE_CLICKHOUSE_URL.')
  }
  if (faults.length > 0) throw new SettingsError(faults)
  return settings
}

/** For whoever listens: keys do not travel in the clear. */
export function demandSafeHost({ host, tls, trustProxy }: Settings): void {
  if (isLoopback(host) || tls || trustProxy) return
  throw new SettingsError([
    `ADCUBE_HOST is ${host}, which other machines can reach, so API keys would be sent unencrypted. Set ADCUBE_TLS_CERT ` +
      'and ADCUBE_TLS_KEY, or ADCUBE_TRUST_PROXY=on behind a proxy that terminates TLS.',
  ])
}

export class SettingsError extends Error {
  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.name = 'SettingsError'
  }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
