import { createServer, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { atEnd } from '../setup/at-end.ts'

/**
 * What a script meets on a bad day, within seconds: the first query is told to come back, and the first download breaks
 * off in the middle, if it should. `happened` says what did.
 */
export async function openUnsteadyProxy(
  target: string,
  { breaksDownloads }: { readonly breaksDownloads: boolean },
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
      if (breaksDownloads && url.startsWith('/reports/') && !happened.has('broken off')) {
        happened.add('broken off')
        breakOff(answer, (chunk) => outgoing.write(chunk, () => outgoing.destroy()))
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

function breakOff(answer: IncomingMessage, writeAndEnd: (chunk: Buffer) => void): void {
  answer.once('data', (chunk: Buffer) => {
    answer.destroy()
    writeAndEnd(chunk.subarray(0, Math.ceil(chunk.length / 2)))
  })
}
