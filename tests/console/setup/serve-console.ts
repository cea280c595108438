import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const startMsMax = 120_000

/** Starts the real command with its own sample data, which takes a few seconds. */
export async function serveConsole(days: number) {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-console-'))
  const dataFolder = join(folder, 'data')
  const flags = ['--demo', '--demo-days', String(days), '--port', '0', '--data-dir', dataFolder]
  const child = spawn(process.execPath, ['src/cli/main.ts', 'serve', ...flags], {
    stdio: ['ignore', openSync(join(folder, 'stdout'), 'w'), openSync(join(folder, 'stderr'), 'w')],
  })
  // Tells tests in other processes that the server has ended.
  child.once('exit', () => writeFileSync(join(folder, 'ended'), ''))
  const stop = async (): Promise<void> => {
    const exited = once(child, 'exit')
    if (child.kill('SIGTERM')) await exited
    await rm(folder, { recursive: true, force: true })
  }
  return { folder, dataFolder, stop }
}

/** Parses the output of the first start. */
export async function readStart(folder: string) {
  const until = Date.now() + startMsMax
  let text = ''
  while (!text.endsWith('\n\n')) {
    if (Date.now() > until || existsSync(join(folder, 'ended'))) {
      throw new Error(`The server did not start: ${await readFile(join(folder, 'stderr'), 'utf8')}`)
    }
    await delay(50)
    text = await readFile(join(folder, 'stdout'), 'utf8')
  }
  const [, url = ''] = /Address {2}(\S+)/.exec(text) ?? []
  const [, email = '', password = ''] = /Sign-in {2}(\S+) {2}(\S+)/.exec(text) ?? []
  return { url, email, password }
}
