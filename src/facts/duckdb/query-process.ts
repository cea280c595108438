import { fork, type ChildProcess } from 'node:child_process'
import type { Logger } from 'pino'
import type { DuckdbOptions } from '../../duckdb/open-duckdb.ts'
import type { SpillFolder } from '../../duckdb/spill-folder.ts'
import { Restarter } from '../../processes/restarter.ts'
import { siblingModule } from '../../processes/sibling-module.ts'
import { FactsError } from '../errors.ts'
import type { EngineStats } from '../facts.ts'
import type { GatheredRows } from '../gather-rows.ts'
import type { Answer, Asked, Question } from './query-child.ts'
import { toFactsError } from './trouble.ts'

type Pending = { readonly resolve: (rows: GatheredRows) => void; readonly reject: (error: unknown) => void }

type Options = Omit<DuckdbOptions, 'spillFolder'>

type Child = {
  readonly process: ChildProcess
  readonly pending: Map<number, Pending>
  readonly startedAt: number
  memoryMb: number
  /** Another takes over as soon as it is ready. */
  isGrown: boolean
}

/** Every query blocks a thread of the child's pool. */
const threadPoolSize = 64
/** A query that does not notice its interruption within this time is ended together with the process. */
const interruptMsMax = 5_000
/** What the process holds besides the engine's own memory; one that holds more is replaced. */
const overheadMb = 1_024

/** Keeps a process that answers queries running: it starts again when it ends, and is replaced when it has grown. */
export class QueryProcess {
  readonly #options: Options
  readonly #spill: SpillFolder
  readonly #log: Logger
  readonly #memoryMbMax: number
  readonly #children = new Set<Child>()
  #current: Child | undefined
  #isStarted = false
  #lastId = 0
  readonly #restarter = new Restarter()
  #restarts = 0
  #replacements = 0
  readonly #stopping = new AbortController()

  constructor(options: Options, spill: SpillFolder, log: Logger, overheadMbMax = overheadMb) {
    this.#options = options
    this.#spill = spill
    this.#log = log
    this.#memoryMbMax = options.memoryMb + overheadMbMax
  }

  /** Resolves when queries are answered. */
  async start(): Promise<void> {
    this.#isStarted = true
    this.#current = await this.#spawn()
  }

  /** One that was never started has nothing wrong with it. */
  get isUp(): boolean {
    return !this.#isStarted || this.#current !== undefined
  }

  get stats(): EngineStats {
    const memoryBytes = (this.#current?.memoryMb ?? 0) * 2 ** 20
    return { restarts: this.#restarts, replacements: this.#replacements, memoryBytes }
  }

  async ask(asked: Asked, signal: AbortSignal): Promise<GatheredRows> {
    signal.throwIfAborted()
    const child = this.#current
    if (!child) throw new FactsError('away')
    const id = ++this.#lastId
    const interrupt = (): void => {
      send(child, { cancel: id })
      setTimeout(() => child.pending.has(id) && child.process.kill('SIGKILL'), interruptMsMax).unref()
    }
    signal.addEventListener('abort', interrupt, { once: true })
    try {
      const rows = await new Promise<GatheredRows>((resolve, reject) => {
        child.pending.set(id, { resolve, reject })
        send(child, { id, ...asked })
      })
      // One that ended in the same moment has come too late as well.
      signal.throwIfAborted()
      return rows
    } finally {
      signal.removeEventListener('abort', interrupt)
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#current = undefined
    await Promise.all(
      [...this.#children].map(({ process }) => {
        const ended = new Promise((resolve) => process.once('exit', resolve))
        process.kill('SIGKILL')
        return ended
      }),
    )
  }

  async #spawn(): Promise<Child> {
    // The engine's names in it are always the same: two processes would write over each other's files.
    const own = await this.#spill.open()
    const { folders } = this.#options
    const options: DuckdbOptions = { ...this.#options, spillFolder: own.path, folders: [...folders, own.path] }
    const process_ = fork(siblingModule(import.meta.url, 'query-child'), [JSON.stringify(options)], {
      execArgv: [],
      // GatheredRows are JSON text already, and would be escaped once more.
      serialization: 'advanced',
      // What the engine has to say on its own goes to the log's stream.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, UV_THREADPOOL_SIZE: String(threadPoolSize) },
    })
    const child: Child = {
      process: process_,
      pending: new Map(),
      startedAt: performance.now(),
      memoryMb: 0,
      isGrown: false,
    }
    this.#children.add(child)
    return new Promise((resolve, reject) => {
      process_.on('message', (answer: Answer) => {
        if (!('isReady' in answer)) return this.#settle(child, answer)
        this.#log.info({ pid: process_.pid }, 'query process ready')
        resolve(child)
      })
      process_.once('error', (error) => {
        this.#children.delete(child)
        reject(error)
      })
      process_.once('exit', (code, signal) => {
        // What cannot be removed now goes with the folder that it is in.
        own.remove().catch(() => {})
        reject(new FactsError('away', new Error(`The query process ended (${signal ?? code}).`)))
        this.#onExit(child, signal ?? code)
      })
    })
  }

  #settle(child: Child, answer: Exclude<Answer, { isReady: true }>): void {
    const asked = child.pending.get(answer.id)
    child.pending.delete(answer.id)
    child.memoryMb = answer.memoryMb
    if ('rows' in answer) asked?.resolve(answer.rows)
    else asked?.reject(toFactsError(new Error(answer.error)))
    if (answer.memoryMb > this.#memoryMbMax) void this.#replace(child)
    if (child !== this.#current) endWhenIdle(child)
  }

  async #replace(child: Child): Promise<void> {
    if (child.isGrown) return
    child.isGrown = true
    this.#log.info({ pid: child.process.pid }, 'query process exceeded its memory; replacing it')
    try {
      this.#current = await this.#spawn()
      this.#replacements++
      endWhenIdle(child)
    } catch {
      // It goes on as it is, and is looked at again after its next query.
      child.isGrown = false
    }
  }

  #onExit(child: Child, reason: unknown): void {
    this.#children.delete(child)
    for (const { reject } of child.pending.values()) reject(new FactsError('away'))
    child.pending.clear()
    if (this.#stopping.signal.aborted || child !== this.#current) return
    this.#current = undefined
    this.#log.error({ pid: child.process.pid, reason }, 'query process ended; starting another')
    void this.#restart(performance.now() - child.startedAt)
  }

  async #restart(livedMs: number): Promise<void> {
    this.#current = await this.#restarter.restart(() => this.#spawn(), {
      livedMs,
      signal: this.#stopping.signal,
      onFailure: (error) => this.#log.error({ err: error }, 'query process could not be started; retrying'),
    })
    if (this.#current) this.#restarts++
  }
}

function endWhenIdle({ process, pending }: Child): void {
  if (pending.size === 0) process.kill('SIGKILL')
}

/** A child that has just ended takes no messages; its end is heard elsewhere. */
const send = ({ process }: Child, question: Question): void => void process.send(question, () => {})
