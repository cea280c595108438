import { cpus, totalmem } from 'node:os'
import type { Filled } from './fill.ts'
import type { Latency, Throughput } from './measure.ts'
import type { Memory } from './memory.ts'

export type Machine = {
  readonly processor: string
  readonly cores: number
  readonly memoryGb: number
  readonly node: string
  readonly engine: string
  /** Another Node hosts the engine, which is only ever done to emulate another processor. */
  readonly isEngineEmulated: boolean
}

export type Figures = {
  readonly at: string
  readonly machine: Machine
  readonly filled: Omit<Filled, 'large' | 'ordinary'> & { readonly large: number; readonly ordinary: number }
  readonly latencies: readonly Latency[]
  readonly throughputs: readonly Throughput[]
  readonly memory: { readonly api: Memory | undefined; readonly engine: Memory | undefined }
}

/** The target: the API adds at most so much to the engine's p50, whichever is more. */
const addedShareMax = 0.15
const addedMsMax = 3

export const describeMachine = (engine: string, isEngineEmulated: boolean): Machine => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  engine,
  isEngineEmulated,
})

function judge({ api, engine }: Latency) {
  const addedMs = api.p50Ms - engine.p50Ms
  const allowedMs = Math.max(addedShareMax * engine.p50Ms, addedMsMax)
  return { ratio: api.p50Ms / engine.p50Ms, addedMs, allowedMs, isMet: addedMs <= allowedMs }
}

export function toJson(figures: Figures): string {
  const verdicts = figures.latencies.map((latency) => {
    const { account, query } = latency
    return { account, query, ...judge(latency) }
  })
  return `${JSON.stringify({ ...figures, verdicts }, null, 2)}\n`
}

export function toText({ at, machine, filled, latencies, throughputs, memory }: Figures): string {
  const { processor, cores, memoryGb, node, engine, isEngineEmulated } = machine
  const { seconds, rowsAll, days, large, ordinary } = filled
  const sections = [
    [
      `Synchronous queries, ${at}`,
      `${processor}, ${cores} cores, ${memoryGb} GB; Node ${node}, ClickHouse ${engine}`,
      isEngineEmulated
        ? 'THE ENGINE IS EMULATED (ADCUBE_ENGINE_NODE is set): these figures mean nothing.'
        : 'The engine runs natively.',
    ],
    [
      `Filled in ${seconds.toFixed(1)} s: ${count(rowsAll)} facts over ${days.length} days, of which ` +
        `the large account ${count(large)} and the ordinary account ${count(ordinary)}`,
    ],
    ['One request at a time, in ms', ...latencyTable(latencies)],
    ['Requests a second, the five queries of the ordinary account in turn', ...throughputTable(throughputs)],
    ['Resident memory in MB', ...memoryTable(memory)],
    [
      `The API adds at most ${addedShareMax * 100} % to the engine's p50 or ${addedMsMax} ms, whichever is more`,
      ...latencies.map(verdictLine),
    ],
  ]
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`
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
    const counts = [api.requests, api.failures, engine.requests, engine.failures].map(count)
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
  return `${isMet ? 'PASS  ' : 'MISSED'}  ${latency.account}, ${latency.query}: ${added}${missedBy}`
}

/** Columns of text to the left, of numbers to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[], textColumns: number): string[] {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column < textColumns ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)]
}

const ms = (value: number): string => value.toFixed(2)

const count = (value: number): string => value.toLocaleString('en-US')
