import type { AdcubeError, Fault } from '../../client/index.ts'
import { SettingsError } from '../settings.ts'

/** The server cannot be reached, or is not able to answer now. */
class ServerAway extends Error {
  override readonly name = 'ServerAway'
}

const flags: Readonly<Record<string, string>> = {
  start: '--from',
  end: '--to',
  dimensions: '--dimensions',
  metrics: '--metrics',
  filters: '--where',
  sort: '--sort',
  limit: '--limit',
}

/** The error in the words of the command line. */
export function explain({ status, code, title, detail, errors }: AdcubeError): Error {
  if (errors.length > 0) return new SettingsError(errors.map(describe))
  if (status === 0 || status === 502 || status === 503 || (status === 504 && code !== 'query_timeout')) {
    return new ServerAway(`${title}. ${detail}`)
  }
  if (status === 404) return new Error(detail)
  return new Error(`${title}. ${detail}${status === 401 ? ' Run `adcube login`, or set ADCUBE_API_KEY.' : ''}`)
}

function describe({ pointer = '', parameter, detail }: Fault): string {
  const [, member = ''] = pointer.split('/')
  return `${flags[member] ?? parameter ?? member}: ${detail}`
}
