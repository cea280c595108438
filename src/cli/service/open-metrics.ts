import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { HealthDeps } from '../../http/edge/health-routes.ts'
import { countChores } from '../../metrics/count-chores.ts'
import { countRequests } from '../../metrics/count-requests.ts'
import { countAnswers, measureFacts } from '../../metrics/measure-facts.ts'
import { buildMetricsApp } from '../../metrics/metrics-app.ts'
import { watchCertificate } from '../../metrics/watch-certificate.ts'
import { watchState, type StateDeps } from '../../metrics/watch-state.ts'
import type { Settings } from '../settings.ts'

type Deps = Omit<StateDeps, 'folders'> & { readonly log: Logger }

export type Metrics = ReturnType<typeof openMetrics>

/** Measures the process and its parts. */
export function openMetrics(settings: Settings, deps: Deps) {
  const registry = new Registry()
  // Its timer does not keep the process alive.
  collectDefaultMetrics({ register: registry })
  const folders = { data: resolve(settings.dataDir), reports: resolve(settings.reports) }
  const refresh = watchState(registry, { ...deps, folders })
  return {
    /** The same facts, measured. */
    facts: measureFacts(registry, deps.facts),
    onAnswer: countAnswers(registry),
    onRequestEnd: countRequests(registry),
    countChores: (names: readonly string[]) => countChores(registry, names),
    onCertificate: watchCertificate(registry),
    /** Makes the app that answers with the metrics and the health of the process. */
    buildMetricsApp: (health: HealthDeps) => buildMetricsApp({ ...health, log: deps.log, registry, refresh }),
  }
}
