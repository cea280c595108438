/**
 * Compares synchronous queries through the API with the same SQL sent straight to the engine. Three processes, as in
 * production: the engine, the API, and this one, which is the client of both.
 */
import { Agent } from 'node:http'
import { join } from 'node:path'
import { fill } from './fill.ts'
import { parseFlags, whole } from './flags.ts'
import { measureLatency, measureThroughput, warmUp, type Latency, type Throughput } from './measure.ts'
import { readMemory } from './memory.ts'
import { say } from './progress.ts'
import { prepareQuestions } from './questions.ts'
import { runBench, type Bench } from './run-bench.ts'
import { apiSide, engineSide } from './sides.ts'
import { startApi } from './start-api.ts'
import { toText, type Figures } from './synchronous-text.ts'

type Flags = {
  readonly rows: number
  readonly samples: number
  readonly seconds: number
  readonly clients: readonly number[]
  readonly json: boolean
}

/** As many connections as the engine's client opens at most: more clients would only queue for one. */
const clientsMax = 64

const usage = `npm run bench:synchronous -- [flags]

Compares synchronous queries through the API with the same SQL sent straight to the engine.

  --rows N          Facts of the large account; the ordinary one gets a twentieth (10000000)
  --samples N       Pairs of requests for each query at most (200)
  --seconds N       Time that a step may take on each side (10)
  --clients N,N,…   Concurrent clients of the throughput steps (1,8,32)
  --json            Prints the figures as one JSON object

The facts go to the system's temporary folder, and are removed at the end.
`

function readFlags(args: readonly string[]): Flags | undefined {
  const values = parseFlags(args, {
    rows: { type: 'string', default: '10000000' },
    samples: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '10' },
    clients: { type: 'string', default: '1,8,32' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  })
  if (values.help) return undefined
  return {
    rows: whole('rows', values.rows, 1_000_000_000),
    samples: whole('samples', values.samples, 100_000),
    seconds: whole('seconds', values.seconds, 3_600),
    clients: values.clients.split(',').map((text) => whole('clients', text.trim(), clientsMax)),
    json: values.json,
  }
}

/** Of the large account's rows: half a million where that has ten million. */
const ordinaryShare = 1 / 20

async function measure(flags: Flags, bench: Bench): Promise<Figures> {
  const { folder, store, engine, endpoint, enginePid, readLimits, logLevel, stop, signal, stack } = bench
  const { accounts, ...filled } = await fill(
    { engine, store, signal },
    { large: flags.rows, ordinary: Math.ceil(flags.rows * ordinaryShare) },
  )

  say('starting the API')
  const api = await startApi(
    { storeFolder: folder, endpoint, readLimits, logLevel, exports: 0 },
    join(folder, 'api.log'),
    stop,
  )
  stack.defer(() => api.close())
  const agent = new Agent({ keepAlive: true })
  stack.defer(() => agent.destroy())

  const sides = { api: apiSide(api.url, agent, signal), engine: engineSide(engine, readLimits, signal) }
  const ordinary = await prepareQuestions(store, accounts.ordinary, filled.days)
  const large = await prepareQuestions(store, accounts.large, filled.days)
  const questions = [...ordinary, ...large.filter(({ isForLarge }) => isForLarge)]
  const bounds = { seconds: flags.seconds, signal }
  say('warming up')
  await warmUp(sides, questions, bounds)

  const latencies: Latency[] = []
  for (const question of questions) {
    say(`${question.account.id} account, ${question.name}`)
    latencies.push(await measureLatency(sides, question, { ...bounds, samples: flags.samples }))
  }
  const throughputs: Throughput[] = []
  for (const clients of flags.clients) {
    say(`clients at once: ${clients}`)
    throughputs.push(await measureThroughput(sides, ordinary, { ...bounds, clients }))
  }
  return {
    filled: { ...filled, large: accounts.large.rows, ordinary: accounts.ordinary.rows },
    latencies,
    throughputs,
    memory: { api: await readMemory(api.pid), engine: await readMemory(enginePid) },
  }
}

await runBench({ usage, readFlags, measure, toText })
