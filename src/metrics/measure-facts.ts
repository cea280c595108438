import { Counter, Gauge, type Histogram, type Registry } from 'prom-client'
import { FactsError } from '../facts/errors.ts'
import type { Facts } from '../facts/facts.ts'
import { answerSources, type AnswerSource } from '../facts/remember-answers.ts'
import { metricsOf, querySeconds } from './metrics-of.ts'

const exportSeconds = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600]
const outcomes = ['ok', 'away', 'busy', 'timeout', 'cancelled', 'damaged', 'error'] as const
type Outcome = (typeof outcomes)[number]

/** Wraps facts, an object of functions, so that every query and export is measured. */
export function measureFacts(registry: Registry, facts: Facts): Facts {
  const { gauge, counter, histogram } = metricsOf(registry)
  const queued = gauge('adcube_queries_queued', 'Queries that wait for their turn.')
  const running = gauge('adcube_queries_running', 'Queries that the engine answers.')
  const rejected = counter(
    'adcube_queries_rejected_total',
    'Queries that were turned away because too many waited, or waited in vain for their turn.',
  )
  const waits = histogram('adcube_query_wait_seconds', 'How long queries waited for their turn.', querySeconds)
  const queries = startTimers(
    histogram('adcube_query_duration_seconds', 'How long the engine took for queries.', querySeconds, 'outcome'),
  )
  const rows = counter('adcube_query_rows_total', 'Rows that queries returned.')
  const exporting = gauge('adcube_exports_running', 'Reports being made here.')
  const exports = startTimers(
    histogram('adcube_export_duration_seconds', 'How long making reports took.', exportSeconds, 'outcome'),
  )
  const exportRows = counter('adcube_export_rows_total', 'Rows of reports made here.')
  const exportBytes = counter('adcube_export_bytes_total', 'Bytes of reports made here, as uncompressed CSV.')
  showStats(registry, facts)

  return {
    ...facts,

    async readRows(query, scope, options) {
      const endWait = waits.startTimer()
      let endQuery: ((outcome: Outcome) => void) | undefined
      const onBegin = (): void => {
        queued.dec()
        running.inc()
        endWait()
        endQuery = queries()
        options.onBegin?.()
      }
      queued.inc()
      const answer = await observe(facts.readRows(query, scope, { ...options, onBegin }), (outcome) => {
        if (endQuery) {
          running.dec()
          endQuery(outcome)
        } else {
          queued.dec()
          endWait()
          if (outcome === 'busy') rejected.inc()
        }
      })
      rows.inc(answer.count)
      return answer
    },

    async writeCsv(query, scope, target, options) {
      exporting.inc()
      const end = exports()
      const made = await observe(facts.writeCsv(query, scope, target, options), (outcome) => {
        exporting.dec()
        end(outcome)
      })
      exportRows.inc(made.rows)
      exportBytes.inc(made.bytes)
      return made
    },
  }
}

/** Counts answers by their source. */
export function countAnswers(registry: Registry): (source: AnswerSource) => void {
  const answers = metricsOf(registry).counter(
    'adcube_query_answers_total',
    'Queries by who answered: memory, another query of the same kind that was running, or the engine.',
    'source',
  )
  for (const source of answerSources) answers.inc({ source }, 0)
  return (source) => answers.inc({ source })
}

/** Returns the result when it is there and its outcome has been counted. */
async function observe<Result>(result: Promise<Result>, count: (outcome: Outcome) => void): Promise<Result> {
  await result.then(
    () => count('ok'),
    (error: unknown) => count(error instanceof FactsError ? error.trouble : 'error'),
  )
  return result
}

/** Starts all outcomes at 0, because Prometheus does not see the first increase of a new series. */
function startTimers(times: Histogram<'outcome'>) {
  for (const outcome of outcomes) times.zero({ outcome })
  return (): ((outcome: Outcome) => void) => {
    const end = times.startTimer()
    return (outcome) => void end({ outcome })
  }
}

function showStats(registry: Registry, facts: Facts): void {
  const stats = facts.stats()
  if (!stats) return
  registry.registerMetric(
    new Counter({
      name: 'adcube_engine_restarts_total',
      help: 'Query processes that were replaced: ended by themselves, grown, or killed because a cancelled query did not stop.',
      labelNames: ['reason'],
      registers: [],
      collect() {
        const { restarts, replacements, kills } = facts.stats() ?? stats
        this.reset()
        this.inc({ reason: 'ended' }, restarts)
        this.inc({ reason: 'grown' }, replacements)
        this.inc({ reason: 'stuck' }, kills)
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'adcube_query_process_memory_bytes',
      help: 'Memory of the query process after its last query.',
      registers: [],
      collect() {
        this.set((facts.stats() ?? stats).memoryBytes)
      },
    }),
  )
}
