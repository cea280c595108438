import { execFile, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { databasePrefix, writeConfigFiles, type User } from './config-files.ts'
import { isEmulated } from './is-emulated.ts'
import type { StartMessage } from './server-process.ts'

export type ClickhouseServer = {
  /** URLs of a user who can change our tables, and of one who can only read them. The path is the database. */
  readonly url: string
  readonly readerUrl: string
  start(): Promise<void>
  kill(): Promise<void>
  /** Stops it and removes its data. */
  stop(): Promise<void>
}

/** An emulated server takes twenty seconds to start. */
const readyMsMax = 180_000

/** True if the library of ClickHouse runs on this machine, and is installed. */
export const canStart =
  process.platform === 'linux' && !isEmulated && existsSync(join(import.meta.dirname, 'node_modules/@chdb'))

/** Starts a real ClickHouse with an empty data folder, as a separate process on loopback. */
export async function startServer(): Promise<ClickhouseServer> {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-clickhouse-'))
  const user = (name: string): User => ({ name, password: randomBytes(24).toString('hex') })
  const users = { writer: user('adcube_writer'), reader: user('adcube_reader') }
  const port = await findFreePort()
  const configFile = await writeConfigFiles(folder, users)
  const execPath = await findNode()
  let kill = async (): Promise<void> => {}
  const start = async (): Promise<void> => {
    const child = fork(join(import.meta.dirname, 'server-process.ts'), {
      execPath,
      execArgv: [],
      // On Ctrl-C, the tests end first, and stop the server.
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const exited = once(child, 'exit')
    kill = async () => {
      child.kill('SIGKILL')
      await exited
    }
    child.send({ port, dataFolder: join(folder, 'data'), configFile } satisfies StartMessage)
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null
    await waitUntilReady(`http://127.0.0.1:${port}`, users.writer, hasEnded)
  }
  const stop = async (): Promise<void> => {
    await kill()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  const address = ({ name, password }: User): string => `http://${name}:${password}@127.0.0.1:${port}/${databasePrefix}`
  return { url: address(users.writer), readerUrl: address(users.reader), start, kill: () => kill(), stop }
}

/** Finds a Node that can load the library: this one, or an emulated one for another processor. */
async function findNode(): Promise<string> {
  const here = import.meta.dirname
  if (process.platform !== 'linux') throw new Error('There is no library of ClickHouse but for Linux.')
  if (!existsSync(join(here, 'node_modules/@chdb'))) throw new Error('Run the tests with npm run test:clickhouse.')
  if (!isEmulated) return process.execPath
  const { stdout } = await promisify(execFile)(join(here, 'emulate-node'))
  return stdout.trim()
}

/** Finds a free port for the server. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function waitUntilReady(url: string, { name, password }: User, hasEnded: () => boolean): Promise<void> {
  const headers = { 'X-ClickHouse-User': name, 'X-ClickHouse-Key': password }
  const giveUpAt = Date.now() + readyMsMax
  while (Date.now() < giveUpAt && !hasEnded()) {
    const asked = { method: 'POST', headers, body: 'SELECT 1', signal: AbortSignal.timeout(10_000) }
    const answer = await fetch(url, asked).then(
      (response) => response.text(),
      () => undefined,
    )
    // Only our own server accepts this user.
    if (answer === '1\n') return
    await delay(50)
  }
  throw new Error('The ClickHouse of the tests did not start')
}
