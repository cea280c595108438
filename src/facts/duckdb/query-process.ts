import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Child } from '../../concurrency/child-process.ts'
import type { DuckdbOptions } from '../../duckdb/open-duckdb.ts'
import type { SpillFolder } from '../../duckdb/spill-folder.ts'
import { FactsError } from '../errors.ts'
import type { EngineStats, GatheredRows } from '../facts.ts'
import type { Answered, Asked } from './query-child.ts'
import { toFactsError } from './trouble.ts'

type Options = Omit<DuckdbOptions, 'spillFolder'>
type QueryChild = Child<Asked, Answered>
/** The caller of a query, for the log. */
type Caller = { readonly reqId: string; readonly account: string }

/** Every query blocks a thread of the child's pool. */
const threadPoolSize = 64
const defaultLimits = {
  /** A query that ignores its interruption for this long is ended together with the process. */
  cancelMsMax: 5_000,
  /** The process may hold this much besides the engine's own memory; one that holds more is replaced. */
  overheadMbMax: 1_024,
}
/** Pauses between attempts to start it again. A process that ran for longer than `healthyMsMin` did not fail to start. */
const pauseMsMin = 200
const pauseMsMax = 5_000
const healthyMsMin = 10_000

/** Keeps a process that answers queries running: starts it again when it ends, and replaces it when it has grown. */
export class QueryProcess {
  readonly #options: Options
  readonly #spill: SpillFolder
  readonly #log: Logger
  readonly #memoryMbMax: number
  readonly #cancelMsMax: number
  readonly #children = new Set<QueryChild>()
  /** Those that we have killed because a query did not stop. */
  readonly #stuck = new WeakSet<QueryChild>()
  readonly #stopping = new AbortController()
  #current: QueryChild | undefined
  #isStarted = false
  #isReplacing = false
  #memoryMb = 0
  #pauseMs = 0
  #restarts = 0
  #replacements = 0
  #kills = 0

  constructor(options: Options, spill: SpillFolder, log: Logger, limits: Partial<typeof defaultLimits> = {}) {
    const { cancelMsMax, overheadMbMax } = { ...defaultLimits, ...limits }
    this.#options = options
    this.#spill = spill
    this.#log = log
    this.#memoryMbMax = options.memoryMb + overheadMbMax
    this.#cancelMsMax = cancelMsMax
  }

  /** Resolves when queries are answered. */
  async start(): Promise<void> {
    this.#isStarted = true
    this.#use(await this.#spawn())
  }

  /** One that was never started is not down. */
  get isUp(): boolean {
    return !this.#isStarted || this.#current !== undefined
  }

  get stats(): EngineStats {
    const memoryBytes = this.#memoryMb * 2 ** 20
    return { restarts: this.#restarts, replacements: this.#replacements, kills: this.#kills, memoryBytes }
  }

  async ask(asked: Asked, signal: AbortSignal, caller?: Caller): Promise<GatheredRows> {
    const child = this.#current
    if (!child) throw new FactsError('away')
    try {
      const cancelMsMax = this.#cancelMsMax
      const onKill = (): void => this.#noteKill(child, caller)
      const { memoryMb, ...rows } = await child.ask(asked, { signal, cancelMsMax, onKill })
      // An answer that arrives together with the abort is too late.
      signal.throwIfAborted()
      if (child === this.#current) this.#memoryMb = memoryMb
      if (child === this.#current && memoryMb > this.#memoryMbMax) void this.#replace(child)
      // A copy, because the received bytes are part of a larger buffer, which a cached answer would keep in memory.
      return { ...rows, json: Buffer.from(rows.json) }
    } catch (error) {
      throw toFactsError(error)
    } finally {
      if (child !== this.#current && child.isIdle) child.kill()
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#current = undefined
    for (const child of this.#children) child.kill()
    await Promise.all([...this.#children].map(({ ended }) => ended))
  }

  async #spawn(): Promise<QueryChild> {
    // The engine's file names in it are always the same: two processes would overwrite each other's files.
    const own = await this.#spill.open()
    this.#stopping.signal.throwIfAborted()
    const { folders } = this.#options
    const options: DuckdbOptions = { ...this.#options, spillFolder: own.path, folders: [...folders, own.path] }
    const child: QueryChild = new Child(import.meta.url, 'query-child', {
      args: [JSON.stringify(options)],
      // The engine's own messages go to the log's stream.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, UV_THREADPOOL_SIZE: String(threadPoolSize) },
    })
    this.#children.add(child)
    void this.#watch(child, own)
    await child.ready
    this.#log.info({ pid: child.process.pid }, 'query process ready')
    return child
  }

  async #watch(child: QueryChild, own: SpillFolder): Promise<void> {
    const reason = await child.ended
    // A folder that cannot be removed now goes with the one it is in.
    own[Symbol.asyncDispose]().catch(() => {})
    this.#children.delete(child)
    if (child === this.#current) await this.#restart(child, reason)
  }

  /** The one before it ends when it has answered its last query. */
  #use(child: QueryChild): void {
    const before = this.#current
    this.#current = child
    this.#memoryMb = 0
    if (before?.isIdle) before.kill()
  }

  async #replace(child: QueryChild): Promise<void> {
    if (this.#isReplacing) return
    this.#isReplacing = true
    this.#log.info({ pid: child.process.pid }, 'query process exceeded its memory; replacing it')
    try {
      this.#use(await this.#spawn())
      this.#replacements++
    } catch {
      // It goes on as it is, and is looked at again after its next query.
    } finally {
      this.#isReplacing = false
    }
  }

  #noteKill(child: QueryChild, caller: Caller | undefined): void {
    const seconds = this.#cancelMsMax / 1_000
    const outcome = `cancelled query did not stop within ${seconds} s; ending the query process`
    this.#log.error({ pid: child.process.pid, ...caller }, outcome)
    // Several queries of one process may not stop.
    if (!this.#stuck.has(child)) this.#kills++
    this.#stuck.add(child)
  }

  /** The first attempt is made at once, and each further one after a longer pause. */
  async #restart(child: QueryChild, reason: unknown): Promise<void> {
    this.#current = undefined
    const isStuck = this.#stuck.has(child)
    const why = isStuck ? 'a query did not stop' : reason
    this.#log.error({ pid: child.process.pid, reason: why }, 'query process ended; starting another')
    if (performance.now() - child.startedAt > healthyMsMin) this.#pauseMs = 0
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        await delay(this.#pauseMs, undefined, { signal })
        this.#pauseMs = Math.min(Math.max(pauseMsMin, 2 * this.#pauseMs), pauseMsMax)
        this.#use(await this.#spawn())
        if (!isStuck) this.#restarts++
        return
      } catch (error) {
        if (!signal.aborted) this.#log.error({ err: error }, 'query process could not be started; retrying')
      }
    }
  }
}
