import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiReady, ApiStart } from './api-process.ts'

export type Api = {
  readonly url: string
  readonly pid: number | undefined
  close(): Promise<void>
}

/** It takes a second; a machine that is busy otherwise may need some more. */
const readyMsMax = 60_000
/** Longer than it should ever need to see that we have hung up. */
const stopMsMax = 5_000
const logTailCharacters = 2_000

/** Starts the API's process, its log in a file. Should it end before it is closed, `stop` is told. */
export async function startApi(start: ApiStart, logFile: string, stop: AbortController): Promise<Api> {
  const logFd = openSync(logFile, 'a', 0o600)
  const child = fork(join(import.meta.dirname, 'api-process.ts'), {
    execArgv: [],
    stdio: ['ignore', 'ignore', logFd, 'ipc'],
  })
  closeSync(logFd)
  let isClosing = false
  const died = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      void readFile(logFile, 'utf8').then(
        (log) => reject(new Error(`The API ended (${signal ?? code}): ${log.slice(-logTailCharacters)}`)),
        reject,
      )
    })
  })
  died.catch((error: unknown) => {
    if (!isClosing) stop.abort(error)
  })
  const close = (): Promise<void> => {
    isClosing = true
    return end(child)
  }
  child.send(start)
  try {
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(readyMsMax)])
    const [ready] = (await Promise.race([once(child, 'message', { signal }), died])) as [ApiReady]
    return { url: ready.url, pid: child.pid, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax)
  await exited
  clearTimeout(timer)
}
