import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Facts } from '../../facts/facts.ts'
import type { AnswerSource } from '../../facts/remember-answers.ts'
import type { HealthDeps } from '../../http/edge/health-routes.ts'
import type { RequestRecord } from '../../http/edge/record-requests.ts'
import type { Store } from '../../store/open-store.ts'
import type { Settings } from '../settings.ts'

type Deps = {
  readonly facts: Facts
  readonly store: Store
  readonly log: Logger
  readonly now: () => number
  readonly freeBytesMin: number
}

type Metrics = {
  /** The same facts, measured. */
  readonly facts: Facts
  readonly onAnswer?: (source: AnswerSource) => void
  readonly onRequestEnd?: (record: RequestRecord) => void
  /** Serves the metrics and the health of the process. */
  listen(health: HealthDeps): Promise<void>
}

/** Measures the process and serves the metrics, if the settings have a port for them. */
export async function openMetrics(settings: Settings, deps: Deps, opened: AsyncDisposableStack): Promise<Metrics> {
  const { metricsHost: host, metricsPort: port } = settings
  if (port === undefined) return { facts: deps.facts, listen: async () => {} }
  const [
    { collectDefaultMetrics, Registry },
    { buildMetricsApp },
    { countRequests },
    { countAnswers, measureFacts },
    { watchState },
  ] =
    // Imported only if they are used.
    await Promise.all([
      import('prom-client'),
      import('../../metrics/metrics-app.ts'),
      import('../../metrics/count-requests.ts'),
      import('../../metrics/measure-facts.ts'),
      import('../../metrics/watch-state.ts'),
    ])
  const registry = new Registry()
  // Its timer does not keep the process alive.
  collectDefaultMetrics({ register: registry })
  const facts = measureFacts(registry, deps.facts)
  const refresh = watchState(registry, {
    ...deps,
    folders: { data: resolve(settings.dataDir), reports: resolve(settings.reports) },
  })
  return {
    facts,
    onAnswer: countAnswers(registry),
    onRequestEnd: countRequests(registry),
    async listen(health) {
      const app = buildMetricsApp({ ...health, log: deps.log, registry, refresh })
      opened.defer(() => app.close())
      await app.listen({ host, port, listenTextResolver: (address) => `Metrics at ${address}` }).catch(explainListen)
    },
  }
}

function explainListen(error: NodeJS.ErrnoException): never {
  if (error.code !== 'EADDRINUSE') throw error
  throw new Error('The metrics port is in use by another program. Choose another one with ADCUBE_METRICS_PORT.', {
    cause: error,
  })
}
