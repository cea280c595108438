import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join, relative, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { EngineError } from './errors.ts'
import type { Endpoint } from './private-engine.ts'

/** What fits into the address of a socket: 104 bytes with the zero at their end on macOS, 108 on Linux. */
const pathBytesMax = 103
const answerLengthMax = 4_096
const answerMsMax = 5_000
/** As long as an emulated engine needs to come back on a busy machine. */
const restartMsMax = 60_000

/**
 * Tells the processes that may enter the engine's folder where the engine is and with which passwords, so that these
 * are in no file. Only for whoever holds the folder: what lies at the socket's path is replaced. An engine that cannot
 * be lent is good for its own process still, so that is a warning and no error.
 */
export async function lendEndpoint(
  folder: string,
  findEndpoint: () => Endpoint | undefined,
  log: Logger,
): Promise<{ readonly close: () => Promise<void> }> {
  const server = createServer((socket) => {
    // Whoever hangs up early has done without the answer.
    socket.on('error', () => {})
    socket.end(`${JSON.stringify(findEndpoint() ?? null)}\n`, () => socket.destroy())
  })
  // To close a server removes its socket.
  const close = () => new Promise<void>((done) => server.close(() => done()))
  try {
    const path = socketPath(folder)
    if (path === undefined) throw new Error(`The path of ${folder} is too long for a socket`)
    await rm(path, { force: true })
    server.listen(path)
    await once(server, 'listening')
    server.on('error', (err) => log.warn({ err }, 'another command could not be told of the engine'))
    await chmod(path, 0o600)
  } catch (err) {
    await close()
    log.warn({ err }, 'other commands cannot share the engine while this process runs')
  }
  return { close }
}

/**
 * Where the engine is that another process runs in this folder; undefined where nobody lends one. Waits for an engine
 * that is being started again: its folder is free for a moment, and must not be taken from the process that it serves.
 */
export async function borrowEndpoint(folder: string): Promise<Endpoint | undefined> {
  const path = socketPath(folder)
  if (path === undefined) return undefined
  const giveUpAt = Date.now() + restartMsMax
  for (;;) {
    // The reason is not kept: an answer that cannot be understood may hold a password, and so may what is said of it.
    const answer = await ask(path).catch(() => undefined)
    if (answer !== null) return answer
    if (Date.now() > giveUpAt) throw new EngineError('away')
    await delay(200)
  }
}

/** The shorter way to the socket, unless even that is too long. */
function socketPath(folder: string): string | undefined {
  const absolute = join(resolve(folder), 'lend.sock')
  const fromHere = relative(process.cwd(), absolute)
  const path = Buffer.byteLength(fromHere) < Buffer.byteLength(absolute) ? fromHere : absolute
  return Buffer.byteLength(path) > pathBytesMax ? undefined : path
}

async function ask(path: string): Promise<Endpoint | null | undefined> {
  let text = ''
  const socket = connect({ path, signal: AbortSignal.timeout(answerMsMax) }).setEncoding('utf8')
  for await (const chunk of socket) {
    text += String(chunk)
    if (text.length > answerLengthMax) return undefined
  }
  const answer = JSON.parse(text) as Endpoint | null
  if (answer === null) return null
  const { url, users } = answer
  const { writer, reader } = users
  const isOurs = /^http:\/\/127\.0\.0\.1:\d+$/.test(url)
  const parts: unknown[] = [url, writer.name, writer.password, reader.name, reader.password]
  return isOurs && parts.every((part) => typeof part === 'string') ? { url, users: { writer, reader } } : undefined
}
