import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Prints a step on stderr, with the seconds since the start. */
export function say(text: string): void {
  process.stderr.write(`[${Math.round(performance.now() / 1_000)} s] ${text}\n`)
}

/** Creates a folder that is removed when the process ends. */
export function openScratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'adcube-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

/** True if processes can be pinned to a core, so that clients do not slow down the server. */
export const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0,1', 'true']).status === 0

type Options = { readonly env?: NodeJS.ProcessEnv; readonly core?: number | undefined; readonly stdio?: StdioOptions }

/** Starts a script of this folder. It ends with this process. */
export function spawnScript(script: string, args: readonly string[], { env, core, stdio = [] }: Options): ChildProcess {
  const pin = core === undefined || !canPin ? [] : ['taskset', '-c', String(core)]
  const file = fileURLToPath(new URL(script, import.meta.url))
  const [command = '', ...rest] = [...pin, process.execPath, file, ...args]
  const child = spawn(command, rest, { stdio, env: { ...process.env, ...env } })
  running.add(child)
  return child.once('exit', () => running.delete(child))
}

/** Settings without rate limits and cache, so that each query is executed. */
const spareNothing = { ADCUBE_RATE_LIMITS: 'off', ADCUBE_CACHE_MB: '0' }

/** Starts a command on a data folder, and writes its log to a file there. */
function spawnLogged(script: string, dataDir: string, args: readonly string[], { env, core }: Options): ChildProcess {
  mkdirSync(dataDir, { recursive: true })
  const log = openSync(join(dataDir, 'bench.log'), 'a', 0o600)
  return spawnScript(script, args, { stdio: ['ignore', 'pipe', log], env: { ...env, ADCUBE_DATA_DIR: dataDir }, core })
}

const main = '../src/cli/main.ts'

/** Loads files, and returns the milliseconds of the whole process. */
export async function load(dataDir: string, files: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const startedAt = performance.now()
  const child = spawnLogged(main, dataDir, ['load', 'auctions', ...files, '--create-accounts'], { env })
  child.stdout!.resume()
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`adcube load failed; see ${join(dataDir, 'bench.log')}`)
  return performance.now() - startedAt
}

export type Server = AsyncDisposable & { readonly url: string; readonly startMs: number }

export const startServer = (dataDir: string, { env = spareNothing, core }: Options = {}): Promise<Server> =>
  start(spawnLogged(main, dataDir, ['serve', '--port', '0'], { env, core }))

/** Starts the plain service with the same files and keys. */
export const startPlainService = (dataDir: string): Promise<Server> =>
  start(spawnLogged('./plain-service.ts', dataDir, [dataDir], {}))

/** Waits until a server prints its address, which it does when it is ready. */
async function start(child: ChildProcess): Promise<Server> {
  const startedAt = performance.now()
  const ended = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  let printed = ''
  for await (const chunk of child.stdout!) {
    printed += String(chunk)
    const url = /Address\s+(http\S+)/.exec(printed)?.[1]
    if (url !== undefined) return { url, startMs: performance.now() - startedAt, [Symbol.asyncDispose]: stop }
  }
  throw new Error('A server did not start; see bench.log in its data folder.')
}
