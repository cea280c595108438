import type { AdcubeError, Fault } from '../client/index.ts'

type Explained = { readonly text: string; readonly exitCode: 1 | 2 | 3 }

/** Returns what to print for an error, and the exit code. */
export function explainError(error: unknown): Explained {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  if (name === 'AdcubeError') return explainAnswer(error as AdcubeError)
  return name === 'UsageError' ? { text: message, exitCode: 2 } : { text: `adcube: ${message}`, exitCode: 1 }
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

/** Explains an answer of a server in the words of the command line. */
function explainAnswer({ status, code, title, detail, errors }: AdcubeError): Explained {
  if (errors.length > 0) return { text: errors.map(describe).join('\n'), exitCode: 2 }
  const isAway = status === 0 || status === 502 || status === 503 || (status === 504 && code !== 'query_timeout')
  const advice = status === 401 ? ' Run `adcube login`, or set ADCUBE_API_KEY.' : ''
  return { text: `adcube: ${status === 404 ? '' : `${title}. `}${detail}${advice}`, exitCode: isAway ? 3 : 1 }
}

function describe({ pointer = '', parameter, detail }: Fault): string {
  const [, member = ''] = pointer.split('/')
  return `${flags[member] ?? parameter ?? member}: ${detail}`
}
