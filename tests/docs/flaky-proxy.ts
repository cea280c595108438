import { createServer, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { atEnd } from '../setup/at-end.ts'

/**
 * Opens a proxy that answers the first POST with 429 and, on request, interrupts the first download in the middle.
 * `happened` lists what it has done.
 */
export async function openFlakyProxy(
  target: string,
  { interruptsDownloads }: { readonly interruptsDownloads: boolean },
): Promise<{ readonly url: string; readonly happened: ReadonlySet<string> }> {
  const happened = new Set<string>()
  const server = createServer((incoming, outgoing) => {
    if (incoming.method === 'POST' && !happened.has('limited')) {
      happened.add('limited')
      incoming.resume()
      outgoing.writeHead(429, { 'retry-after': '1', 'content-type': 'application/problem+json' })
      outgoing.end('{"code":"rate_limited","detail":"Data POST requests: at most 5 in 60 seconds.","status":429}')
      return
    }
    const { method = 'GET', url = '/', headers } = incoming
    const forwarded = request(new URL(url, target), { method, headers })
    incoming.pipe(forwarded)
    forwarded.on('error', () => outgoing.destroy())
    forwarded.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      if (headers.range !== undefined) happened.add('resumed')
      if (interruptsDownloads && url.startsWith('/reports/') && !happened.has('interrupted')) {
        happened.add('interrupted')
        interrupt(answer, (chunk) => outgoing.write(chunk, () => outgoing.destroy()))
      } else answer.pipe(outgoing)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, happened }
}

function interrupt(answer: IncomingMessage, writeAndEnd: (chunk: Buffer) => void): void {
  answer.once('data', (chunk: Buffer) => {
    answer.destroy()
    writeAndEnd(chunk.subarray(0, Math.ceil(chunk.length / 2)))
  })
}
