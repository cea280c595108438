import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Facts } from '../../facts/facts.ts'
import type { AnswerSource } from '../../facts/remember-answers.ts'
import type { HealthDeps } from '../../http/edge/health-routes.ts'
import type { RequestRecord } from '../../http/edge/request-log.ts'
import { countRequests } from '../../metrics/count-requests.ts'
import { countAnswers, measureFacts } from '../../metrics/measure-facts.ts'
import { buildMetricsApp } from '../../metrics/metrics-app.ts'
import { watchState } from '../../metrics/watch-state.ts'
import type { Store } from '../../store/open-store.ts'
import type { Settings } from '../settings.ts'

type Deps = {
  readonly facts: Facts
  readonly store: Store
  readonly log: Logger
  readonly now: () => number
  readonly freeBytesMin: number
}

export type Metrics = {
  /** The same facts, measured. */
  readonly facts: Facts
  readonly onAnswer?: (source: AnswerSource) => void
  readonly onRequestEnd?: (record: RequestRecord) => void
  /** Makes the app that answers with the metrics and the health of the process. */
  readonly buildMetricsApp?: (health: HealthDeps) => FastifyInstance
}

/** Measures the process and its parts. */
export function openMetrics(settings: Settings, deps: Deps): Metrics {
  const registry = new Registry()
  // Its timer does not keep the process alive.
  collectDefaultMetrics({ register: registry })
  const folders = { data: resolve(settings.dataDir), reports: resolve(settings.reports) }
  const refresh = watchState(registry, { ...deps, folders })
  return {
    facts: measureFacts(registry, deps.facts),
    onAnswer: countAnswers(registry),
    onRequestEnd: countRequests(registry),
    buildMetricsApp: (health) => buildMetricsApp({ ...health, log: deps.log, registry, refresh }),
  }
}
