/**
 * Compares synchronous queries through the API with the same SQL sent straight to the engine. Three processes, as in
 * production: the engine, the API, and this one, which is the client of both. It informs: a missed target is no
 * failure.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { readSettings } from '../src/cli/settings.ts'
import { attachEngine, type Engine } from '../src/engine/engine.ts'
import { migrateEngine } from '../src/engine/migrate.ts'
import { PrivateEngine, type Endpoint } from '../src/engine/private-engine.ts'
import { openStore } from '../src/store/open-store.ts'
import { fill } from './fill.ts'
import { FlagsError, readFlags, usage, type Flags } from './flags.ts'
import { measureLatency, measureThroughput, warmUp, type Latency, type Throughput } from './measure.ts'
import { readMemory } from './memory.ts'
import { say } from './progress.ts'
import { prepareQuestions } from './questions.ts'
import { describeMachine, toJson, toText, type Figures } from './report.ts'
import { apiSide, engineSide } from './sides.ts'
import { startApi } from './start-api.ts'

const log = pino({ level: 'silent' })

/** From a connection that breaks to the news that its process is gone. */
const deathNoticeMs = 200

async function bench(flags: Flags, stop: AbortController, stack: AsyncDisposableStack): Promise<Figures> {
  const { signal } = stop
  // Nothing here listens on more than loopback, whatever the environment says.
  const settings = readSettings(process.env, { host: '127.0.0.1' })
  const readLimits = {
    secondsMax: settings.querySeconds,
    threadsMax: settings.queryThreads,
    memoryBytesMax: settings.queryMemoryMb * 1024 * 1024,
  }

  const folder = await mkdtemp(join(tmpdir(), 'adcube-bench-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))
  const store = await openStore({ folder })
  stack.defer(() => store.destroy())

  say('starting the engine')
  const { endpoint, pid: enginePid } = await startEngine(join(folder, 'engine'), settings.engineNode, stop, stack)
  signal.throwIfAborted()
  const engine = await attachEngine(endpoint)
  stack.defer(() => engine.close())
  await migrateEngine(engine, log)
  const { large, ordinary, ...filled } = await fill({ engine, store, signal }, flags.rows)

  say('starting the API')
  const start = { storeFolder: folder, endpoint, readLimits, logLevel: settings.logLevel }
  const api = await startApi(start, join(folder, 'api.log'), stop)
  stack.defer(() => api.close())
  const agent = new Agent({ keepAlive: true })
  stack.defer(() => agent.destroy())

  const sides = { api: apiSide(api.url, agent, signal), engine: engineSide(engine, readLimits, signal) }
  const questions = await prepareQuestions(store, { ...filled, large, ordinary })
  const bounds = { seconds: flags.seconds, signal }
  say('warming up')
  await warmUp(sides, questions, bounds)

  const latencies: Latency[] = []
  for (const question of questions) {
    say(`${question.account.id} account, ${question.name}`)
    latencies.push(await measureLatency(sides, question, { ...bounds, samples: flags.samples }))
  }
  const throughputs: Throughput[] = []
  const ordinaryQuestions = questions.filter(({ account }) => account === ordinary)
  for (const clients of flags.clients) {
    say(`clients at once: ${clients}`)
    throughputs.push(await measureThroughput(sides, ordinaryQuestions, { ...bounds, clients }))
  }
  return {
    at: new Date().toISOString(),
    machine: describeMachine(await readVersion(engine), settings.engineNode !== process.execPath),
    filled: { ...filled, large: large.rows, ordinary: ordinary.rows },
    latencies,
    throughputs,
    memory: { api: await readMemory(api.pid), engine: await readMemory(enginePid) },
  }
}

/** An engine that dies is started again at another address, which nobody here would learn: the run ends instead. */
async function startEngine(
  folder: string,
  node: string,
  stop: AbortController,
  stack: AsyncDisposableStack,
): Promise<{ readonly endpoint: Endpoint; readonly pid: number | undefined }> {
  let isClosing = false
  const engine = new PrivateEngine({
    folder,
    database: 'adcube',
    node,
    log,
    onChange: (endpoint) => {
      if (!endpoint && !isClosing) stop.abort(new Error('The engine died.'))
    },
  })
  const endpoint = await engine.start()
  stack.defer(() => {
    isClosing = true
    return engine.stop()
  })
  return { endpoint, pid: engine.pid }
}

async function readVersion(engine: Engine): Promise<string> {
  const result = await engine.reader().query({ query: 'SELECT version() AS version', format: 'JSONEachRow' })
  return (await result.json<{ version: string }>())[0]?.version ?? 'unknown'
}

async function main(): Promise<number> {
  const flags = readFlags(process.argv.slice(2))
  if (!flags) {
    process.stderr.write(usage)
    return 0
  }
  const stop = new AbortController()
  // A second signal changes nothing: cleaning up takes seconds at most, and no process and no folder may stay.
  const interrupt = (): void => {
    if (stop.signal.aborted) return
    say('stopping and cleaning up')
    stop.abort(new Error('Interrupted.'))
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)

  // What is open is closed in the reverse order, whatever happens.
  await using stack = new AsyncDisposableStack()
  try {
    const figures = await bench(flags, stop, stack)
    process.stdout.write(flags.json ? toJson(figures) : toText(figures))
    return 0
  } catch (error) {
    // A broken connection is noticed before the death of the process at its other end, which is the better reason.
    await delay(deathNoticeMs)
    throw stop.signal.aborted ? stop.signal.reason : error
  }
}

/** An error while cleaning up comes wrapped around the one that it followed. */
const describe = (error: unknown): string =>
  error instanceof SuppressedError
    ? `${describe(error.suppressed)}\nand then, while cleaning up: ${describe(error.error)}`
    : error instanceof Error
      ? error.message
      : String(error)

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`bench: ${describe(error)}\n`)
  process.exitCode = error instanceof FlagsError ? 2 : 1
}
