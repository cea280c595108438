import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { readSettings } from '../src/cli/settings.ts'
import { attachEngine, type Engine } from '../src/engine/engine.ts'
import { migrateEngine } from '../src/engine/migrate.ts'
import { PrivateEngine, type Endpoint } from '../src/engine/private-engine.ts'
import type { ReadLimits } from '../src/engine/read-rows.ts'
import { openStore, type Store } from '../src/store/open-store.ts'
import { FlagsError } from './flags.ts'
import { say } from './progress.ts'
import { describeMachine, type Machine } from './text.ts'

/** What every bench works with: an engine and a store of its own in a temporary folder. */
export type Bench = {
  readonly folder: string
  readonly store: Store
  readonly engine: Engine
  readonly endpoint: Endpoint
  readonly enginePid: number | undefined
  /** For a bench that has somebody else open the folder. */
  readonly stopEngine: () => Promise<void>
  readonly readLimits: ReadLimits
  readonly logLevel: string
  readonly machine: Machine
  /** Aborted when the run is over before its end. */
  readonly stop: AbortController
  readonly signal: AbortSignal
  /** What is open is closed in the reverse order, whatever happens. */
  readonly stack: AsyncDisposableStack
}

/** When and where figures were taken. */
export type Run = { readonly at: string; readonly machine: Machine }

type Program<Flags, Figures> = {
  readonly usage: string
  /** Returns undefined where help is asked for. */
  readonly readFlags: (args: readonly string[]) => (Flags & { readonly json: boolean }) | undefined
  readonly measure: (flags: Flags, bench: Bench) => Promise<Figures>
  readonly toText: (figures: Figures & Run) => string
}

const log = pino({ level: 'silent' })

/** From a connection that breaks to the news that its process is gone. */
const deathNoticeMs = 200

/** Runs a bench from its command line to its exit code. It informs: a missed target is no failure. */
export async function runBench<Flags, Figures>(program: Program<Flags, Figures>): Promise<void> {
  try {
    process.exitCode = await main(program)
  } catch (error) {
    process.stderr.write(`bench: ${describe(error)}\n`)
    process.exitCode = error instanceof FlagsError ? 2 : 1
  }
}

async function main<Flags, Figures>({ usage, readFlags, measure, toText }: Program<Flags, Figures>): Promise<number> {
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

  await using stack = new AsyncDisposableStack()
  try {
    const bench = await open(stop, stack)
    const figures = { at: new Date().toISOString(), machine: bench.machine, ...(await measure(flags, bench)) }
    process.stdout.write(flags.json ? `${JSON.stringify(figures, null, 2)}\n` : toText(figures))
    return 0
  } catch (error) {
    // A broken connection is noticed before the death of the process at its other end, which is the better reason.
    await delay(deathNoticeMs)
    throw stop.signal.aborted ? stop.signal.reason : error
  }
}

async function open(stop: AbortController, stack: AsyncDisposableStack): Promise<Bench> {
  const settings = readSettings(process.env)
  const folder = await mkdtemp(join(tmpdir(), 'adcube-bench-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))
  const store = await openStore({ folder })
  stack.defer(() => store.destroy())

  say('starting the engine')
  const { endpoint, enginePid, stopEngine } = await startEngine(
    join(folder, 'engine'),
    settings.engineNode,
    stop,
    stack,
  )
  stop.signal.throwIfAborted()
  const engine = await attachEngine(endpoint)
  stack.defer(() => engine.close())
  await migrateEngine(engine, log)
  return {
    folder,
    store,
    engine,
    endpoint,
    enginePid,
    stopEngine: async () => {
      await engine.close()
      await stopEngine()
    },
    readLimits: {
      secondsMax: settings.querySeconds,
      threadsMax: settings.queryThreads,
      memoryBytesMax: settings.queryMemoryMb * 1024 * 1024,
    },
    logLevel: settings.logLevel,
    machine: describeMachine(await readVersion(engine), settings.engineNode !== process.execPath),
    stop,
    signal: stop.signal,
    stack,
  }
}

/** An engine that dies is started again at another address, which nobody here would learn: the run ends instead. */
async function startEngine(
  folder: string,
  node: string,
  stop: AbortController,
  stack: AsyncDisposableStack,
): Promise<Pick<Bench, 'endpoint' | 'enginePid' | 'stopEngine'>> {
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
  const stopEngine = (): Promise<void> => {
    isClosing = true
    return engine.stop()
  }
  stack.defer(stopEngine)
  return { endpoint, enginePid: engine.pid, stopEngine }
}

async function readVersion(engine: Engine): Promise<string> {
  const result = await engine.reader().query({ query: 'SELECT version() AS version', format: 'JSONEachRow' })
  return (await result.json<{ version: string }>())[0]?.version ?? 'unknown'
}

/** An error while cleaning up comes wrapped around the one that it followed. */
const describe = (error: unknown): string =>
  error instanceof SuppressedError
    ? `${describe(error.suppressed)}\nand then, while cleaning up: ${describe(error.error)}`
    : error instanceof Error
      ? error.message
      : String(error)
