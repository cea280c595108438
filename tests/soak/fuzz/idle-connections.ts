import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { chanceFor } from './chance.ts'
import { open } from './connection.ts'

const wanted = 10_000
/** Open files that the server and this process need for other things. */
const reserve = 1_000
const batch = 500

/** As many connections as the limit of open files allows for this process and the server. */
export function idleCount(): number {
  const limit = Number(execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }))
  return Number.isNaN(limit) ? wanted : Math.min(wanted, limit - reserve)
}

/** Opens silent connections from many addresses, because one address has too few ports for a second run. */
export async function openIdle(port: number, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const next = Array.from({ length: Math.min(batch, count - sockets.length) }, (_, index) =>
      open(port, chanceFor(count, sockets.length + index)),
    )
    await Promise.all(next.map((socket) => once(socket, 'connect')))
    for (const socket of next) socket.on('error', () => {}).resume()
    sockets.push(...next)
  }
  return sockets
}

/** Opens silent connections again whenever the server has closed them, until the signal fires. */
export async function keepIdle({ port, signal }: { port: number; signal: AbortSignal }, count: number): Promise<void> {
  while (!signal.aborted) {
    const sockets = await openIdle(port, count)
    const closed = sockets.filter((socket) => !socket.closed).map((socket) => once(socket, 'close'))
    await Promise.race([Promise.all(closed), once(signal, 'abort')])
    for (const socket of sockets) socket.destroy()
  }
}
