import type { Registry } from 'prom-client'
import { rateRules } from '../access/rate-rules.ts'
import type { RequestRecord } from '../http/edge/request-log.ts'
import { metricsOf, querySeconds } from './metrics-of.ts'

const labelNames = ['method', 'route', 'status'] as const

/** Other methods are counted as one, so that callers cannot create metric series. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Counts requests as they end. */
export function countRequests(registry: Registry): (record: RequestRecord) => void {
  const { counter, histogram } = metricsOf(registry)
  const requests = counter(
    'adcube_http_requests_total',
    'Requests that have ended. Status 499: the caller hung up. Route "none": no such path.',
    ...labelNames,
  )
  const durations = histogram(
    'adcube_http_request_duration_seconds',
    'From the arrival of the headers to the end of the answer.',
    querySeconds,
    ...labelNames,
  )
  const bytes = counter('adcube_http_sent_bytes_total', 'Sent in answers, headers included.', 'route')
  const refused = counter(
    'adcube_rate_limit_rejections_total',
    'Requests answered with 429, by the rule or, for what has none, the code of the problem.',
    'rule',
  )
  for (const rule of [...rateRules.map(({ name }) => name), 'jobs', 'too_many_attempts']) refused.inc({ rule }, 0)

  return ({ method, route, status, ms, bytes: sent, rule, code }) => {
    const labels = { method: methods.has(method) ? method : 'other', route, status }
    requests.inc(labels)
    durations.observe(labels, ms / 1_000)
    if (sent !== undefined) bytes.inc({ route }, sent)
    if (status === 429) refused.inc({ rule: rule ?? code ?? 'none' })
  }
}
