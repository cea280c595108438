import type { Run } from './run-bench.ts'
import type { Filled } from './fill.ts'
import type { Latency, Throughput } from './measure.ts'
import type { Memory } from './memory.ts'
import { joinSections, machineLines, showCount, table, verdict } from './text.ts'

export type Figures = {
  readonly filled: Omit<Filled, 'accounts'> & { readonly large: number; readonly ordinary: number }
  readonly latencies: readonly Latency[]
  readonly throughputs: readonly Throughput[]
  readonly memory: { readonly api: Memory | undefined; readonly engine: Memory | undefined }
}

/** The target: the API adds at most so much to the engine's p50, whichever is more. */
const addedShareMax = 0.15
const addedMsMax = 3

function judge({ api, engine }: Latency) {
  const addedMs = api.p50Ms - engine.p50Ms
  const allowedMs = Math.max(addedShareMax * engine.p50Ms, addedMsMax)
  return { ratio: api.p50Ms / engine.p50Ms, addedMs, allowedMs, isMet: addedMs <= allowedMs }
}

export function toText({ at, machine, filled, latencies, throughputs, memory }: Figures & Run): string {
  const { seconds, rowsAll, days, large, ordinary } = filled
  return joinSections([
    [`Synchronous queries, ${at}`, ...machineLines(machine)],
    [
      `Filled in ${seconds.toFixed(1)} s: ${showCount(rowsAll)} facts over ${days.length} days, of which ` +
        `the large account ${showCount(large)} and the ordinary account ${showCount(ordinary)}`,
    ],
    ['One request at a time, in ms', ...latencyTable(latencies)],
    ['Requests a second, the five queries of the ordinary account in turn', ...throughputTable(throughputs)],
    ['Resident memory in MB', ...memoryTable(memory)],
    [
      `The API adds at most ${addedShareMax * 100} % to the engine's p50 or ${addedMsMax} ms, whichever is more`,
      ...latencies.map(verdictLine),
    ],
  ])
}

function latencyTable(latencies: readonly Latency[]): string[] {
  const rows = latencies.map((latency) => {
    const { ratio, addedMs } = judge(latency)
    const { account, query, samples, api, engine } = latency
    const times = [api.p50Ms, engine.p50Ms, api.p99Ms, engine.p99Ms].map(ms)
    return [account, query, String(samples), ...times, ratio.toFixed(2), ms(addedMs)]
  })
  const head = ['account', 'query', 'n', 'API p50', 'engine p50', 'API p99', 'engine p99', 'p50 ratio', 'p50 added']
  const isFew = latencies.some(({ samples }) => samples < 100)
  return [...table(head, rows, 2), ...(isFew ? ['Where n is below 100, p99 is the slowest request.'] : [])]
}

function throughputTable(throughputs: readonly Throughput[]): string[] {
  const rows = throughputs.map(({ clients, api, engine }) => {
    const rates = [api.requestsASecond, engine.requestsASecond].map((rate) => rate.toFixed(1))
    const ratio = (api.requestsASecond / engine.requestsASecond).toFixed(2)
    const counts = [api.requests, api.failures, engine.requests, engine.failures].map(showCount)
    return [String(clients), ...rates, ratio, ...counts]
  })
  const head = ['clients', 'API', 'engine', 'ratio', 'API n', 'API failed', 'engine n', 'engine failed']
  return table(head, rows, 0)
}

function memoryTable({ api, engine }: Figures['memory']): string[] {
  const row = (name: string, memory: Memory | undefined): string[] =>
    memory ? [name, memory.rssMb.toFixed(0), memory.peakMb.toFixed(0)] : [name, 'unknown', 'unknown']
  return [
    ...table(['process', 'at the end', 'peak'], [row('API', api), row('engine', engine)], 1),
    "The engine's peak includes the filling.",
  ]
}

function verdictLine(latency: Latency): string {
  const { addedMs, allowedMs, isMet } = judge(latency)
  const added = `${ms(addedMs)} ms added, ${ms(allowedMs)} ms allowed`
  const missedBy = isMet ? '' : `, missed by ${ms(addedMs - allowedMs)} ms`
  return verdict(isMet, `${latency.account}, ${latency.query}: ${added}${missedBy}`)
}

const ms = (value: number): string => value.toFixed(2)
