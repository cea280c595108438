import { Client } from 'pg'
import { isLoopback, type Settings } from '../settings.ts'
import { warn, type Finding } from './finding.ts'

const risk = 'so others on the network can read the password and the data'

/** Warns if the connection to PostgreSQL crosses a network without TLS. The driver reads the address, and PGSSLMODE. */
export function checkStoreEncryption({ databaseUrl }: Settings): Finding | false {
  if (databaseUrl === undefined) return false
  const { host, ssl } = new Client({ connectionString: databaseUrl })
  // A path is that of a socket.
  if (ssl || host.startsWith('/') || isLoopback(host)) return false
  return warn(
    `ADCUBE_DATABASE_URL connects to ${host} without TLS, ${risk}: add ?sslmode=verify-full, and TLS to PostgreSQL.`,
  )
}

/** Warns if the connection to ClickHouse crosses a network without TLS. */
export function checkEngineEncryption({ clickhouseUrl, clickhouseReaderUrl }: Settings): Finding | false {
  const urls = { ADCUBE_CLICKHOUSE_URL: clickhouseUrl, ADCUBE_CLICKHOUSE_READER_URL: clickhouseReaderUrl }
  const plain = Object.entries(urls).filter(([, text]) => {
    const url = text === undefined ? null : URL.parse(text)
    return url?.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'))
  })
  const [first] = plain
  return (
    first !== undefined &&
    warn(`${plain.map(([name]) => name).join(' and ')} connects over http://, ${risk}: use https://.`)
  )
}
