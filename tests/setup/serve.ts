import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, vi } from 'vitest'
import { atEnd } from './at-end.ts'

/** Creates a data folder. After the file's tests, it is removed and all processes started on it are stopped. */
export async function openFolder(name = '') {
  const folder = await mkdtemp(join(tmpdir(), `adcube-serve-${name}`))
  const children: ChildProcess[] = []
  atEnd(async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
  })

  /** Starts the real command in a separate process, on a free port. */
  const serve = (flags: readonly string[], env: NodeJS.ProcessEnv = {}, main = 'src/cli/main.ts') => {
    const child = spawn(process.execPath, [main, 'serve', '--port', '0', ...flags], {
      env: { ...process.env, ...env, ADCUBE_DATA_DIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.push(child)
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => (output.stdout += String(chunk)))
    child.stderr.on('data', (chunk) => (output.stderr += String(chunk)))
    const address = async (): Promise<string> => {
      // The log is written a moment later.
      const isReady = () => output.stdout.endsWith('\n\n') && output.stderr.includes('Server listening')
      const isDecided = () => expect(child.exitCode !== null || isReady()).toBe(true)
      await vi.waitFor(isDecided, { timeout: 60_000, interval: 50 })
      return /https?:\/\/[\d.:]+/.exec(output.stdout)?.[0] ?? ''
    }
    /** Finds the newest query process in the log. */
    const queryPid = () => Number([...output.stderr.matchAll(/"pid":(\d+).*query process ready/g)].at(-1)?.[1])
    return { child, output, address, queryPid }
  }

  /** Runs another command on the same folder. */
  const begin = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const child = spawn(process.execPath, ['src/cli/main.ts', ...args], {
      env: { ...process.env, ...env, ADCUBE_DATA_DIR: folder },
    })
    children.push(child)
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    return { child, ended: ended.then(([stdout, stderr, [code]]) => ({ code: Number(code), stdout, stderr })) }
  }

  const run = (args: readonly string[], input = '') => {
    const { child, ended } = begin(args)
    child.stdin.end(input)
    return ended
  }
  return { folder, serve, begin, run }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
