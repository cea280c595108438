import { once } from 'node:events'
import { expect, vi } from 'vitest'
import { childrenOf } from '../../setup/children.ts'
import { isAlive, type openFolder } from '../../setup/serve.ts'
import { say } from '../seed.ts'
import type { Findings } from './send-requests.ts'
import { knownAnswer, knownQuery, type World } from './world.ts'

export type FuzzedServer = Awaited<ReturnType<typeof startServer>>

/** Starts a server as a separate process. */
export async function startServer(opened: Awaited<ReturnType<typeof openFolder>>, rateLimits: 'on' | 'off') {
  const env = { ADCUBE_EXPORT_FREE_MB: '0', ADCUBE_QUERY_SECONDS: '10', ADCUBE_RATE_LIMITS: rateLimits }
  const server = opened.serve([], env)
  const url = await server.address()
  return { ...server, url, port: Number(new URL(url).port) }
}

/** Stops the server with SIGINT, like Ctrl-C. */
export async function stopServer({ child }: FuzzedServer): Promise<void> {
  const children = childrenOf(child.pid!, '')
  expect(children).not.toEqual([])
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  expect(await exited).toEqual([0, null])
  await vi.waitFor(() => expect(children.filter(isAlive)).toEqual([]), { timeout: 10_000 })
}

/** Checks that a query of an account has the right answer. */
export async function expectAnswer({ url }: FuzzedServer, { keys }: World): Promise<void> {
  const headers = { 'x-api-key': keys.asker, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(knownQuery) }
  const response = await fetch(`${url}/v2/data/synchronous?cube=auctions`, init)
  const { data } = (await response.json()) as { data: unknown }
  expect({ status: response.status, data }).toEqual({ status: 200, data: knownAnswer('asker') })
}

/** Prints what was answered, and fails if there are faults. */
export function reportFindings({ sent, statuses, faults }: Findings, begun: number): void {
  const seconds = (Date.now() - begun) / 1_000
  say(`${sent} requests in ${Math.round(seconds)} s, ${Math.round(sent / seconds)} a second`)
  const counts = [...statuses].toSorted(([, one], [, other]) => other - one)
  say(counts.map(([status, count]) => `${status} x ${count}`).join(', '))
  expect(faults.slice(0, 10).map((fault) => fault.slice(0, 700))).toEqual([])
}
