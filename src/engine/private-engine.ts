import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { totalmem } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { askOnce, type PrivateAccess } from './ask-once.ts'
import type { StartMessage } from './child.ts'
import { writeConfigFiles, type EngineUsers } from './config-files.ts'

export type Endpoint = {
  readonly url: string
  readonly users: EngineUsers
}

type Options = {
  readonly folder: string
  readonly database: string
  /** The Node that hosts the engine; another than ours where the engine has no build for this processor. */
  readonly node: string
  readonly log: Logger
  /** Called whenever an engine is up, and with undefined whenever it is gone. */
  readonly onChange: (endpoint: Endpoint | undefined) => void
}

/** Generous: a folder with a year of days opens in about a second, an emulated processor needs twenty. */
const readyMsMax = 120_000
/** The engine ends in a fraction of a second (an emulated one in six); after this it is not going to. */
const stopMsMax = 10_000
const backoffMsMin = 200
const backoffMsMax = 5_000
/** An engine that stayed up this long has not failed because of how it was started. */
const stableMs = 30_000
/** The engine of a parent that was just killed holds the folder a moment longer. */
const contendedMsMax = 5_000

/** The port or the folder is another's; either may be free in a moment. */
class Contended extends Error {}

/** A ClickHouse of our own: a child process on loopback that is started again whenever it dies, until it is stopped. */
export class PrivateEngine {
  readonly #options: Options
  readonly #users: EngineUsers = {
    writer: { name: 'adcube_writer', password: randomBytes(24).toString('base64url') },
    reader: { name: 'adcube_reader', password: randomBytes(24).toString('base64url') },
  }
  #child: ChildProcess | undefined
  #configFile = ''
  #backoffMs = backoffMsMin
  #stopped: Promise<void> | undefined

  constructor(options: Options) {
    this.#options = options
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Resolves when the engine answers; rejects where it cannot be started at all. */
  async start(): Promise<Endpoint> {
    const { folder, database } = this.#options
    await mkdir(join(folder, 'data'), { recursive: true, mode: 0o700 })
    this.#configFile = await writeConfigFiles(this.#configFolder(), {
      database,
      users: this.#users,
      // Half of the machine is the engine's; the rest is the page cache's, which its reads live on, and ours.
      memoryBytesMax: Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2),
    })
    const giveUpAt = Date.now() + contendedMsMax
    for (;;) {
      try {
        const endpoint = await this.#launch()
        await this.#removeLeftovers()
        return endpoint
      } catch (error) {
        if (!(error instanceof Contended) || Date.now() > giveUpAt) throw error
        await delay(200)
      }
    }
  }

  /** Ends the engine and leaves no process behind; a second caller gets the same promise. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end()
    return this.#stopped
  }

  async #end(): Promise<void> {
    this.#options.onChange(undefined)
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit')
      if (child.connected) child.send('stop')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax)
      await exited
      clearTimeout(timer)
    }
    await rm(this.#configFolder(), { recursive: true, force: true })
  }

  /** The folder is ours now, so what a process that was killed left there is nobody's. */
  async #removeLeftovers(): Promise<void> {
    const folder = resolve(this.#options.folder)
    const names = (await readdir(folder)).filter((name) => name.startsWith('config-'))
    const leftovers = names.map((name) => join(folder, name)).filter((path) => path !== this.#configFolder())
    await Promise.all(leftovers.map((path) => rm(path, { recursive: true, force: true })))
  }

  /** Of this process alone: one that tries the same folder and is refused must not change our passwords. */
  #configFolder(): string {
    return join(resolve(this.#options.folder), `config-${process.pid}`)
  }

  async #launch(): Promise<Endpoint> {
    const { folder, node, log, onChange } = this.#options
    const port = await findFreePort()
    if (this.#stopped) throw new Error('The engine was stopped before it was up')
    const child = fork(join(import.meta.dirname, `child${extname(import.meta.filename)}`), {
      execPath: node,
      execArgv: [],
      // Away from our terminal: Ctrl-C would end the engine before the requests that still use it.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child = child
    const lastLines: string[] = []
    if (child.stderr) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        lastLines.push(line)
        if (lastLines.length > 20) lastLines.shift()
        log.debug({ engine: line }, 'engine says')
      })
    }
    const exited = new Promise<never>((_, reject) => {
      child.on('error', reject)
      child.once('close', () => void explainExit(lastLines, folder).then(reject))
    })
    exited.catch(() => {})

    const message: StartMessage = {
      port,
      path: join(resolve(folder), 'data'),
      configFile: this.#configFile,
      user: this.#users.writer.name,
      password: this.#users.writer.password,
    }
    child.send(message)
    const endpoint = { url: `http://127.0.0.1:${port}`, users: this.#users }
    try {
      await Promise.race([exited, waitUntilReady(message, () => child.exitCode !== null || child.signalCode !== null)])
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    }
    if (this.#stopped) return endpoint
    const upSince = Date.now()
    log.info({ pid: child.pid, port }, 'engine ready')
    onChange(endpoint)
    exited.catch(() => this.#restart(Date.now() - upSince, lastLines))
    return endpoint
  }

  /** Keeps trying for as long as we live, ever slower: requests meanwhile are told that the engine is away. */
  #restart(upMs: number, lastLines: readonly string[]): void {
    if (this.#stopped) return
    const { log, onChange } = this.#options
    onChange(undefined)
    log.error({ upMs, lastLines }, 'the engine died and is started again')
    void (async () => {
      if (upMs > stableMs) this.#backoffMs = backoffMsMin
      while (!this.#stopped) {
        await delay(this.#backoffMs)
        this.#backoffMs = Math.min(this.#backoffMs * 2, backoffMsMax)
        if (this.#stopped) return
        try {
          await this.#launch()
          return
        } catch (error) {
          log.error({ err: error }, 'the engine could not be started again')
        }
      }
    })()
  }
}

/** A port that the system gives us and that we give back for the engine. Should another take it meanwhile, we retry. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Ready means that our own user is let in, so no stranger on the port is taken for the engine. */
async function waitUntilReady(access: PrivateAccess, hasEnded: () => boolean): Promise<void> {
  const giveUpAt = Date.now() + readyMsMax
  while (!hasEnded()) {
    const answer = await askOnce(access, 'SELECT 1').catch(() => undefined)
    if (answer === '1\n') return
    if (Date.now() > giveUpAt) throw new Error('The engine did not become ready')
    await delay(20)
  }
  // Why it ended is told by whoever waits for that.
  await new Promise(() => {})
}

async function explainExit(lines: readonly string[], folder: string): Promise<Error> {
  const text = lines.join('\n')
  if (/Code: 210\b/.test(text)) return new Contended(`The engine could not listen: ${text}`)
  if (!/Code: 76\b/.test(text)) return new Error(`The engine ended: ${text || 'it gave no reason'}`)
  // The engine's lock file says which process holds the folder.
  const status = await readFile(join(folder, 'data', 'status'), 'utf8').catch(() => '')
  const pid = /PID: (\d+)/.exec(status)?.[1]
  return new Contended(
    `The folder ${folder} is in use by another Adcube${pid ? ` (its engine is process ${pid})` : ''}. ` +
      'Stop that one, or choose another folder with ADCUBE_DATA_DIR.',
  )
}
