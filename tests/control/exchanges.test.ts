import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, vi } from 'vitest'
import { noLimits } from '../../src/access/rate-limiter.ts'
import { openControlService } from '../setup/control-service.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const service = await openControlService(await openStoreAt(await makePlace('SQLite')), noLimits)
/** Requests with this header have no remote address, as if the connection had been reset. */
const isGone = 'x-gone'
let aborted = 0
service.app.addHook('onRequestAbort', async (_request) => {
  aborted++
})
/** Requests that are read and not answered, requests that are being answered, and the most of each. */
const counts = { read: 0, readMost: 0, underWay: 0, underWayMost: 0 }
service.app.server.prependListener('request', (_request, response) => {
  counts.readMost = Math.max(counts.readMost, ++counts.read)
  response.once('close', () => counts.read--)
})
service.app.addHook('onRequest', async (_request, reply) => {
  counts.underWayMost = Math.max(counts.underWayMost, ++counts.underWay)
  reply.raw.once('close', () => counts.underWay--)
})
service.app.server.prependListener('request', ({ headers, socket }) => {
  if (headers[isGone] !== undefined) Object.defineProperty(socket, 'remoteAddress', { value: undefined })
})
const port = Number(new URL(await service.listen()).port)

const health = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'
const body = 'x'.repeat(200_000)
const refused = (headers: string): string =>
  `POST /v2/data/synchronous HTTP/1.1\r\nhost: x\r\n${headers}content-length: ${body.length}\r\n\r\n`

/** Sends a text, then another one after the first answer, and returns everything received until the connection ends. */
async function converse(first: string, second?: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    if (text === '' && second !== undefined) socket.end(second)
    text += String(chunk)
  })
  if (second === undefined) socket.end(first)
  else socket.write(first)
  await once(socket, 'close')
  return text
}

const statusesOf = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

it('an unknown Expect header is ignored', async () => {
  expect(statusesOf(await converse(health.replace('host', 'expect: a-pony\r\nhost')))).toEqual([200])
})

it('a request without a Host header is answered with a problem', async () => {
  const text = await converse('GET /healthz HTTP/1.1\r\n\r\n')
  expect(statusesOf(text)).toEqual([400])
  expect(text).toContain('content-type: application/problem+json')
  expect(text).toContain('"code":"bad_request"')
})

it('a request that is answered and then breaks off gets no second answer', async () => {
  expect(statusesOf(await converse(refused(''), 'x'))).toEqual([401])
})

it('the next request on a connection is answered, also after a refused one', async () => {
  expect(statusesOf(await converse(refused('') + body, health))).toEqual([401, 200])
})

it('a connection is closed if a refused request goes on sending', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('POST /v2/data HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000000\r\n\r\n')
  const [answer] = await once(socket, 'data')
  expect(statusesOf(String(answer))).toEqual([401])
  let sent = 0
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const send = (): void => {
    sent += body.length
    if (!socket.destroyed && sent < 1e9) socket.write(body, send)
  }
  send()
  await closed
  // Some megabytes are on the way, in the buffers of the system.
  expect(sent).toBeLessThan(50e6)
})

it.each(['/nothing', '/console/api/nothing', '/v2/nothing', '/v2/data/synchronous?cube=auctions'])(
  'a request that %s refuses is answered before its body has arrived',
  async (path) => {
    const { key } = await service.makeAccount()
    const header = path.startsWith('/v2/nothing') ? `x-api-key: ${key}\r\n` : ''
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\n${header}content-type: application/json\r\ncontent-length: 9\r\n\r\n`,
    )
    const [answer] = await once(socket, 'data')
    expect(statusesOf(String(answer))).toEqual([path.includes('nothing') ? 404 : 401])
    socket.destroy()
  },
)

it('a request with an Upgrade header is answered as usual, and its connection is closed', async () => {
  const text = await converse(`GET /healthz HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n`)
  expect(statusesOf(text)).toEqual([200])
  expect(text).toContain('connection: close')
})

it('thousands of requests sent at once on one connection are all answered, and delay no other connection', async () => {
  const sent = 5_000
  const request = health.replace('connection: close\r\n', '')
  const socket = connect(port, '127.0.0.1')
  let answered = 0
  let rest = ''
  socket.on('data', (chunk) => {
    const parts = (rest + String(chunk)).split('"status":"ok"')
    answered += parts.length - 1
    rest = parts.at(-1) ?? ''
  })
  socket.write(request.repeat(sent - 1) + health)
  await once(socket, 'data')
  expect(statusesOf(await converse(health))).toEqual([200])
  expect(answered).toBeLessThan(sent)
  await once(socket, 'close')
  expect(answered).toBe(sent)
  expect(counts.underWayMost).toBeLessThanOrEqual(64)
  // Node parses all requests of a packet, and its packets have 64 KiB.
  expect(counts.readMost).toBeLessThanOrEqual(64 + 65_536 / request.length)
})

const warnings = () => service.logged.filter((line) => JSON.parse(line).level >= 40)

it('a client that disconnects while sending is not reported as a database failure', async () => {
  const { key } = await service.makeAccount()
  const before = service.countBegun()
  const socket = connect(port, '127.0.0.1')
  socket.write(refused(`x-api-key: ${key}\r\ncontent-type: application/json\r\n`))
  await vi.waitFor(() => expect(service.countBegun()).toBeGreaterThan(before))
  socket.destroy()
  await vi.waitFor(() => expect(aborted).toBe(1))
  expect(statusesOf(await converse(health))).toEqual([200])
  expect(warnings()).toEqual([])
})

it('a request without a key is refused even if the client address is no longer known', async () => {
  service.logged.length = 0
  expect(statusesOf(await converse(`GET /v2/data HTTP/1.1\r\nhost: x\r\n${isGone}: 1\r\n\r\n`))).toEqual([401])
  expect(warnings()).toEqual([])
})
