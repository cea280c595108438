import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import type { Endpoint } from '../../src/engine/private-engine.ts'

/**
 * The shared engine under an address like that of any ClickHouse server: it takes the user from the address instead
 * of from headers. `hold` makes it sit on requests, to see what happens to those who wait.
 */
export async function openEngineProxy({ url }: Endpoint) {
  const held: ServerResponse[] = []
  const proxy = {
    hold: false,
    held,
    address: (user: string, password: string): string => `http://${user}:${password}@127.0.0.1:${port}/adcube`,
  }
  const server = createServer((incoming, outgoing) => {
    if (proxy.hold) {
      held.push(outgoing)
      return
    }
    const [user, password] = Buffer.from(incoming.headers.authorization?.split(' ')[1] ?? '', 'base64')
      .toString()
      .split(':')
    const { authorization: _, ...headers } = incoming.headers
    const forward = request(new URL(incoming.url ?? '/', url), {
      method: incoming.method ?? 'GET',
      headers: { ...headers, 'x-clickhouse-user': user, 'x-clickhouse-key': password },
    })
    forward.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(outgoing)
    })
    forward.on('error', () => outgoing.destroy())
    incoming.pipe(forward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return proxy
}
