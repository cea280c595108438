import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Endpoint } from '../../src/engine/private-engine.ts'

type Held = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse }

const loginOf = ({ headers }: IncomingMessage): readonly string[] =>
  Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64')
    .toString()
    .split(':')

/**
 * The shared engine under an address like that of any ClickHouse server: it takes the user from the address instead
 * of from headers. `hold` makes it sit on requests, to see what happens to those who wait.
 */
export async function openEngineProxy({ url }: Endpoint) {
  const forward = ({ incoming, outgoing }: Held): void => {
    const [user, password] = loginOf(incoming)
    const { authorization: _, ...headers } = incoming.headers
    const forwarded = request(new URL(incoming.url ?? '/', url), {
      method: incoming.method ?? 'GET',
      headers: { ...headers, 'x-clickhouse-user': user, 'x-clickhouse-key': password },
    })
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers)
      if (proxy.cuts > 0 && String(incoming.url).includes('query_id=job_')) {
        proxy.cuts--
        // In the middle: something has been sent, and the end never comes.
        response.once('data', (chunk: Buffer) => {
          outgoing.write(chunk.subarray(0, Math.ceil(chunk.length / 2)))
          setImmediate(() => outgoing.destroy())
        })
      } else response.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  }

  const held: Held[] = []
  const proxy = {
    hold: false,
    /** How many reports are still to be cut off half-way. */
    cuts: 0,
    held,
    /** The users who wait. */
    heldUsers: () => held.map(({ incoming }) => loginOf(incoming)[0]),
    release: (): void => {
      proxy.hold = false
      for (const each of held.splice(0)) forward(each)
    },
    address: (user: string, password: string): string => `http://${user}:${password}@127.0.0.1:${port}/adcube`,
  }
  const server = createServer((incoming, outgoing) => {
    if (proxy.hold) held.push({ incoming, outgoing })
    else forward({ incoming, outgoing })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return proxy
}
