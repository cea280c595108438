import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** Mostly the work itself is measured: neither limits nor remembered answers may spare it. */
const spareNothing = { ADCUBE_RATE_LIMITS: 'off', ADCUBE_CACHE_MB: '0' }

/** Starts a command of Adcube. Its log goes to a file in the data folder. */
export function spawnAdcube(
  dataDir: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = spareNothing,
): ChildProcess {
  mkdirSync(dataDir, { recursive: true })
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', openSync(join(dataDir, 'bench.log'), 'a', 0o600)],
    env: { ...process.env, ...env, ADCUBE_DATA_DIR: dataDir },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Runs a command of Adcube to its end and returns what it printed. */
export async function runAdcube(dataDir: string, ...args: readonly string[]): Promise<string> {
  const child = spawnAdcube(dataDir, args)
  const [printed, [code]] = await Promise.all([text(child.stdout!), once(child, 'exit')])
  if (code !== 0) throw new Error(`adcube ${args.slice(0, 2).join(' ')} failed; see ${join(dataDir, 'bench.log')}`)
  return printed
}

/** Makes a key, and lets its account have as many jobs as a bench needs. */
export async function createKey(dataDir: string, account: string): Promise<string> {
  await runAdcube(dataDir, 'account', 'set', account, '--rate-factor', '100')
  const printed = await runAdcube(dataDir, 'key', 'create', '--account', account, '--name', 'bench', '--json')
  return (JSON.parse(printed) as { key: string }).key
}

export type Server = AsyncDisposable & { readonly url: string; readonly pid: number; readonly startMs: number }

/** Starts a server on a free port and waits until it says its address, which it does when it is ready. */
export async function startServer(dataDir: string, env?: NodeJS.ProcessEnv): Promise<Server> {
  const startedAt = performance.now()
  const child = spawnAdcube(dataDir, ['serve', '--port', '0'], env)
  const ended = once(child, 'exit')
  let printed = ''
  for await (const chunk of child.stdout!) {
    printed += String(chunk)
    const url = /Address\s+(http\S+)/.exec(printed)?.[1]
    if (url === undefined) continue
    const stop = async (): Promise<void> => {
      child.kill('SIGTERM')
      await ended
    }
    return { url, pid: child.pid!, startMs: performance.now() - startedAt, [Symbol.asyncDispose]: stop }
  }
  throw new Error(`The server did not start; see ${join(dataDir, 'bench.log')}`)
}
