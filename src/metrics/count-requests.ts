import { Counter, Histogram, type Registry } from 'prom-client'
import { rateRules } from '../access/rate-rules.ts'
import type { RequestRecord } from '../http/edge/record-requests.ts'

/** From an answer out of memory to a query that runs out of its time. */
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** A caller may use any word that HTTP knows; each would be series of its own. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Counts requests as they end. */
export function countRequests(registry: Registry): (record: RequestRecord) => void {
  const registers = [registry]
  const labelNames = ['method', 'route', 'status'] as const
  const requests = new Counter({
    name: 'adcube_http_requests_total',
    help: 'Requests that have ended. Status 499: the caller hung up. Route "none": no such path.',
    labelNames,
    registers,
  })
  const durations = new Histogram({
    name: 'adcube_http_request_duration_seconds',
    help: 'From the arrival of the headers to the end of the answer.',
    labelNames,
    buckets: seconds,
    registers,
  })
  const bytes = new Counter({
    name: 'adcube_http_sent_bytes_total',
    help: 'Sent in answers, headers included.',
    labelNames: ['route'],
    registers,
  })
  const refused = new Counter({
    name: 'adcube_rate_limit_rejections_total',
    help: 'Requests answered with 429, by the rule or, for what has none, the code of the problem.',
    labelNames: ['rule'],
    registers,
  })
  for (const rule of [...rateRules.map(({ name }) => name), 'jobs', 'too_many_attempts']) refused.inc({ rule }, 0)

  return ({ method, route, status, ms, bytes: sent, rule, code }) => {
    const labels = { method: methods.has(method) ? method : 'other', route, status }
    requests.inc(labels)
    durations.observe(labels, ms / 1_000)
    if (sent !== undefined) bytes.inc({ route }, sent)
    if (status === 429) refused.inc({ rule: rule ?? code ?? 'none' })
  }
}
