import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { answer, Exchange } from '../../processes/exchange.ts'
import { Restarter } from '../../processes/restarter.ts'
import { siblingModule } from '../../processes/sibling-module.ts'
import type { HttpOrder, HttpProcess } from './http-child.ts'
import { shareParts, type FirstProcess, type SharedParts } from './shared-parts.ts'

type Child = {
  readonly pid: number | undefined
  readonly exchange: Exchange<HttpProcess>
  readonly startedAt: number
  /** With the reason. */
  readonly ended: Promise<unknown>
}

/** Keeps processes running that answer HTTP requests on one port, as many as the settings say. */
export class HttpProcesses {
  #order: HttpOrder
  readonly #parts: FirstProcess
  readonly #log: Logger
  #address = ''
  readonly #children = new Set<Child>()
  readonly #ready = new Set<Child>()
  readonly #stopping = new AbortController()

  constructor(order: Pick<HttpOrder, 'settings' | 'tls'>, parts: SharedParts, log: Logger) {
    const { distinctCountError } = parts.facts
    this.#order = { ...order, distinctCountError, isMeasured: parts.onRequestEnd !== undefined }
    this.#parts = shareParts(parts)
    this.#log = log
  }

  /** Whether requests are answered. */
  get isUp(): boolean {
    return this.#ready.size > 0
  }

  /** Returns the address when all of them are ready. */
  async start(): Promise<string> {
    const { settings } = this.#order
    // Those that are started later need the same one.
    const port = settings.port || (await findFreePort(settings.host))
    this.#order = { ...this.#order, settings: { ...settings, port } }
    cluster.setupPrimary({
      exec: fileURLToPath(siblingModule(import.meta.url, 'http-child')),
      args: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const started = await Promise.all(Array.from({ length: settings.processes }, () => this.#spawn()))
    for (const child of started) void this.#keep(child)
    return this.#address
  }

  /** Requests under way may finish. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const { exchange } of this.#children) exchange.tell('stop', undefined)
    await Promise.all([...this.#children].map(({ ended }) => ended))
  }

  async #spawn(): Promise<Child> {
    this.#stopping.signal.throwIfAborted()
    const worker = cluster.fork()
    const child: Child = {
      pid: worker.process.pid,
      exchange: new Exchange(worker.process),
      startedAt: performance.now(),
      ended: new Promise((resolve) =>
        worker.on('exit', (code, signal) => resolve(signal ?? code)).on('error', resolve),
      ),
    }
    answer(worker.process, this.#parts)
    this.#children.add(child)
    void child.ended.then(() => this.#children.delete(child) && this.#ready.delete(child))
    const failed = child.ended.then((reason) => {
      throw new Error(`The HTTP process ended (${String(reason)}).`)
    })
    try {
      this.#address = await Promise.race([child.exchange.ask('start', this.#order), failed])
      this.#ready.add(child)
      this.#log.info({ pid: child.pid }, 'HTTP process ready')
      return child
    } catch (error) {
      worker.process.kill('SIGKILL')
      throw error
    }
  }

  /** Has another one started whenever it has ended. */
  async #keep(first: Child): Promise<void> {
    const { signal } = this.#stopping
    const restarter = new Restarter()
    for (let child: Child | undefined = first; child;) {
      const reason = await child.ended
      if (signal.aborted) return
      this.#log.error({ pid: child.pid, reason }, 'HTTP process ended; starting another')
      child = await restarter.restart(() => this.#spawn(), {
        livedMs: performance.now() - child.startedAt,
        signal,
        onFailure: (error) => this.#log.error({ err: error }, 'HTTP process could not be started; retrying'),
      })
    }
  }
}

async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen({ host, port: 0 })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
