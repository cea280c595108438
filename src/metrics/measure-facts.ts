import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { FactsError } from '../facts/errors.ts'
import type { Facts } from '../facts/facts.ts'
import { answerSources, type AnswerSource } from '../facts/remember-answers.ts'

const querySeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const exportSeconds = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600]
const outcomes = ['ok', 'away', 'busy', 'timeout', 'cancelled', 'error'] as const
type Outcome = (typeof outcomes)[number]

/** The same facts, with every query and export measured on its way, whichever engine it is: an object of functions. */
export function measureFacts(registry: Registry, facts: Facts): Facts {
  const registers = [registry]
  const queued = new Gauge({ name: 'adcube_queries_queued', help: 'Queries that wait for their turn.', registers })
  const running = new Gauge({ name: 'adcube_queries_running', help: 'Queries that the engine answers.', registers })
  const rejected = new Counter({
    name: 'adcube_queries_rejected_total',
    help: 'Queries that were turned away because too many waited, or waited in vain for their turn.',
    registers,
  })
  const waits = new Histogram({
    name: 'adcube_query_wait_seconds',
    help: 'How long queries waited for their turn.',
    buckets: querySeconds,
    registers,
  })
  const queries = timeOf(
    registry,
    'adcube_query_duration_seconds',
    'How long the engine took for queries.',
    querySeconds,
  )
  const rows = new Counter({ name: 'adcube_query_rows_total', help: 'Rows that queries returned.', registers })
  const exporting = new Gauge({ name: 'adcube_exports_running', help: 'Reports being made here.', registers })
  const exports = timeOf(registry, 'adcube_export_duration_seconds', 'How long making reports took.', exportSeconds)
  const exportRows = new Counter({ name: 'adcube_export_rows_total', help: 'Rows of reports made here.', registers })
  const exportBytes = new Counter({
    name: 'adcube_export_bytes_total',
    help: 'Bytes of reports made here, as uncompressed CSV.',
    registers,
  })
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
      let outcome: Outcome = 'ok'
      try {
        const answer = await facts.readRows(query, scope, { ...options, onBegin })
        rows.inc(answer.count)
        return answer
      } catch (error) {
        outcome = outcomeOf(error)
        throw error
      } finally {
        if (endQuery) {
          running.dec()
          endQuery(outcome)
        } else {
          queued.dec()
          endWait()
          if (outcome === 'busy') rejected.inc()
        }
      }
    },

    async writeCsv(query, scope, target, options) {
      exporting.inc()
      const end = exports()
      let outcome: Outcome = 'ok'
      try {
        const made = await facts.writeCsv(query, scope, target, options)
        exportRows.inc(made.rows)
        exportBytes.inc(made.bytes)
        return made
      } catch (error) {
        outcome = outcomeOf(error)
        throw error
      } finally {
        exporting.dec()
        end(outcome)
      }
    },
  }
}

/** Counts answers by where they came from. */
export function countAnswers(registry: Registry): (source: AnswerSource) => void {
  const answers = new Counter({
    name: 'adcube_query_answers_total',
    help: 'Queries by who answered: memory, another query of the same kind that was running, or the engine.',
    labelNames: ['source'],
    registers: [registry],
  })
  for (const source of answerSources) answers.inc({ source }, 0)
  return (source) => answers.inc({ source })
}

const outcomeOf = (error: unknown): Outcome => (error instanceof FactsError ? error.trouble : 'error')

/** A histogram by outcome, every one of them there from the start: what appears with its first count hides it. */
function timeOf(registry: Registry, name: string, help: string, buckets: number[]) {
  const times = new Histogram({ name, help, labelNames: ['outcome'], buckets, registers: [registry] })
  for (const outcome of outcomes) times.zero({ outcome })
  return (): ((outcome: Outcome) => void) => {
    const end = times.startTimer()
    return (outcome) => void end({ outcome })
  }
}

function showStats(registry: Registry, facts: Facts): void {
  const stats = facts.stats()
  if (!stats) return
  const labelNames = ['reason'] as const
  registry.registerMetric(
    new Counter({
      name: 'adcube_engine_restarts_total',
      help: 'Query processes started in place of one that ended by itself, or had grown.',
      labelNames,
      registers: [],
      collect() {
        const { restarts, replacements } = facts.stats() ?? stats
        this.reset()
        this.inc({ reason: 'ended' }, restarts)
        this.inc({ reason: 'grown' }, replacements)
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
