import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, vi } from 'vitest'
import { noLimits } from '../../src/access/rate-limiter.ts'
import { atEnd } from '../setup/at-end.ts'
import { openControlService } from '../setup/control-service.ts'
import { makeReport } from '../setup/make-report.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const store = await openStoreAt(await makePlace('SQLite'))
const connections = { headersMs: 300, requestMs: 600, idleMs: 300, keepAliveMs: 300, checkMs: 50, connectionsMax: 5 }
const service = await openControlService(store, noLimits, { connections })
await service.listen()
const { server } = service.app
const { port } = server.address() as AddressInfo

const sockets = new Set<Socket>()
atEnd(() => sockets.forEach((socket) => socket.destroy()))

const dial = async (request = ''): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
  // These tests expect connections to be closed.
  socket.on('error', () => {})
  sockets.add(socket)
  await once(socket, 'connect')
  if (request !== '') socket.write(request)
  return socket
}
const countConnections = () =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
const expectNoneLeft = () =>
  vi.waitFor(async () => expect(await countConnections()).toBe(0), { timeout: 20_000, interval: 20 })

it.each([
  ['sends nothing', ''],
  ['sends half of its headers', 'GET /healthz HTTP/1.1\r\nhost: loc'],
  [
    'sends half of its body',
    'POST /console/api/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
  ],
])('a client that %s gets a timeout answer, and its connection is closed', async (_what, request) => {
  const socket = await dial(request)
  expect(await text(socket)).toMatch(/^HTTP\/1.1 408 [\s\S]*"code":"request_timeout"/)
  await expectNoneLeft()
})

it('an idle connection is closed', async () => {
  const socket = await dial('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /)
  await expectNoneLeft()
})

it.each(['identity', 'gzip'])('a client that stops reading a download (%s) is disconnected', async (encoding) => {
  // More than the system's buffers hold, even compressed.
  const noise = randomBytes(24 * 1024 * 1024)
  const { url } = await makeReport(store, service, noise)
  const socket = await dial(`GET ${await url()} HTTP/1.1\r\nhost: x\r\naccept-encoding: ${encoding}\r\n\r\n`)
  await once(socket, 'readable')
  expect(String(socket.read(12))).toBe('HTTP/1.1 200')
  await expectNoneLeft()
  expect(service.logged.join('')).not.toContain('"level":50')
})

it('a client that reads slowly is not disconnected', async () => {
  // The system buffers some megabytes at a time, so the idle time must be longer than the time to send them.
  const idleMs = 2_000
  const patient = await openControlService(store, noLimits, { connections: { idleMs } })
  await patient.listen()
  const csv = Buffer.alloc(64 * 1024 * 1024, '2026-11-14,1\r\n')
  const { url } = await makeReport(store, patient, csv)
  const socket = connect((patient.app.server.address() as AddressInfo).port, '127.0.0.1')
  sockets.add(socket)
  socket.write(`GET ${await url()} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  const startedAt = performance.now()
  let bytes = 0
  for await (const chunk of socket) {
    bytes += (chunk as Buffer).length
    // Read so slowly that the download takes three times as long as a client may be idle.
    const untilMs = startedAt + (bytes / csv.length) * 3 * idleMs
    await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(untilMs), { interval: 5 })
  }
  expect(bytes).toBeGreaterThan(csv.length)
})

it('connections above the maximum are refused, and open ones still work', async () => {
  const open = await Promise.all([1, 2, 3, 4, 5].map(() => dial()))
  const sixth = await dial()
  await once(sixth, 'close')
  open[0]!.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  expect(await text(open[0]!)).toMatch(/^HTTP\/1.1 200 /)
  await expectNoneLeft()
})

it('one address can have only some of all connections, unless a proxy is trusted', async () => {
  const few = { connectionsPerAddressMax: 2 }
  for (const [trustProxy, expected] of [
    [false, ['open', 'open', 'closed', 'open']],
    [true, ['open', 'open', 'open', 'open']],
  ] as const) {
    const limited = await openControlService(store, noLimits, { trustProxy, connections: few })
    await limited.listen()
    const outcomes: string[] = []
    const opened: Socket[] = []
    for (const localAddress of ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.2']) {
      const at = (limited.app.server.address() as AddressInfo).port
      const socket = connect({ port: at, host: '127.0.0.1', localAddress })
      socket.on('error', () => {})
      opened.push(socket)
      socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
      outcomes.push(
        await new Promise((resolve) => {
          socket.once('data', () => resolve('open')).once('close', () => resolve('closed'))
        }),
      )
    }
    expect(outcomes).toEqual(expected)
    // A closed connection makes room for another.
    opened[0]!.destroy()
    const logged = limited.logged.filter((line) => line.includes('too many connections from one address'))
    expect(logged).toHaveLength(trustProxy ? 0 : 1)
    await vi.waitFor(async () => {
      const response = await fetch(`http://127.0.0.1:${(limited.app.server.address() as AddressInfo).port}/healthz`)
      expect(response.status).toBe(200)
    })
    opened.forEach((socket) => socket.destroy())
  }
})
