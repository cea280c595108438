import { once } from 'node:events'
import type { ReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { noLimits } from '../../src/access/rate-limiter.ts'
import { atEnd } from '../setup/at-end.ts'
import { openControlService } from '../setup/control-service.ts'
import { makeReport } from '../setup/make-report.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const store = await openStoreAt(await makePlace('SQLite'))
const service = await openControlService(store, noLimits)
const isWaiting = vi.fn()
// Holds a request until its client is gone.
service.app.addHook('preHandler', async (request) => {
  if (request.headers['x-wait'] === undefined) return
  isWaiting()
  if (!request.raw.socket.destroyed) await once(request.raw.socket, 'close')
})
await service.listen()
const { port } = service.app.server.address() as AddressInfo

/** More than the system buffers for a client that does not read. */
const large = Buffer.alloc(24 * 1024 * 1024, '2026-11-14,United States of America,12345678\r\n')
const makeLarge = () => makeReport(store, service, large)

const sockets = new Set<Socket>()
atEnd(() => sockets.forEach((socket) => socket.destroy()))

const begin = async (url: string, { method = 'GET', headers = '' } = {}): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
  sockets.add(socket)
  await once(socket, 'connect')
  socket.write(`${method} ${url} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`)
  return socket
}

/** Starts a download and reads only its status. */
const hold = async (url: string): Promise<{ readonly socket: Socket; readonly status: number }> => {
  const socket = await begin(url)
  await once(socket, 'readable')
  const head = String(socket.read(12))
  return { socket, status: Number(head.slice(9, 12)) }
}

const ask = async (url: string, headers: Record<string, string> = {}, more: object = {}) => {
  const response = await service.app.inject({ url, headers, ...more })
  return { status: response.statusCode, headers: response.headers, text: response.body }
}

const small = { range: 'bytes=-10' }

/** Expects that exactly four downloads of a report can start. */
const expectAllFree = async (url: string): Promise<void> => {
  await vi.waitFor(
    async () => {
      const held = await Promise.all([1, 2, 3, 4].map(() => hold(url)))
      const fifth = await ask(url, small)
      for (const { socket } of held) socket.destroy()
      expect([...held.map(({ status }) => status), fifth.status]).toEqual([200, 200, 200, 200, 429])
    },
    { timeout: 20_000, interval: 100 },
  )
  await vi.waitFor(async () => expect((await ask(url, small)).status).toBe(206), { timeout: 20_000, interval: 50 })
}

it('a range near the end of a large report reads only the blocks that contain it', async () => {
  const report = await makeLarge()
  const url = await report.url()
  const read = vi.spyOn(service.storage, 'read')
  const { status, text } = await ask(url, small)
  expect({ status, text }).toEqual({ status: 206, text: String(large.subarray(-10)) })
  const streams = read.mock.results.map(({ value }) => value as ReadStream)
  read.mockRestore()
  const { size } = await stat(join(service.reportsFolder, report.file))
  const bytesRead = streams.reduce((sum, stream) => sum + stream.bytesRead, 0)
  expect(bytesRead).toBeGreaterThan(0)
  // The report has six blocks.
  expect(bytesRead).toBeLessThan(size / 4)
})

describe('simultaneous downloads', () => {
  it('are limited to four for a report, and the fifth gets Retry-After', async () => {
    const url = await (await makeLarge()).url()
    const held = await Promise.all([1, 2, 3, 4].map(() => hold(url)))
    expect(held.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    for (const headers of [{}, small, { 'accept-encoding': 'gzip' }]) {
      const fifth = await ask(url, headers)
      expect({ status: fifth.status, code: JSON.parse(fifth.text).code }).toEqual({
        status: 429,
        code: 'too_many_downloads',
      })
      expect(fifth.headers['retry-after']).toBe('10')
      expect(fifth.headers).not.toHaveProperty('etag')
    }
    // Answers without content do not count.
    expect((await ask(url, {}, { method: 'HEAD' })).status).toBe(200)
    expect((await ask(url, { range: `bytes=${large.length}-` })).status).toBe(416)
    held[0]!.socket.destroy()
    await vi.waitFor(async () => expect((await ask(url, small)).status).toBe(206))
    for (const { socket } of held) socket.destroy()
  })

  it('are limited to sixteen for an IP address, over all reports', async () => {
    const urls: string[] = []
    for (let count = 0; count < 5; count++) urls.push(await (await makeLarge()).url())
    const held = await Promise.all(urls.slice(0, 4).flatMap((url) => [1, 2, 3, 4].map(() => hold(url))))
    expect(held.filter(({ status }) => status === 200)).toHaveLength(16)
    const last = urls[4]!
    expect((await ask(last, small)).status).toBe(429)
    expect((await ask(last, small, { remoteAddress: '203.0.113.7' })).status).toBe(206)
    for (const { socket } of held) socket.destroy()
    await vi.waitFor(async () => expect((await ask(last, small)).status).toBe(206))
  })

  it('release their slots however they end', async () => {
    const report = await makeLarge()
    const url = await report.url()
    const { headers } = await ask(url, {}, { method: 'HEAD' })
    for (let time = 0; time < 6; time++) {
      expect((await ask(url, small)).status).toBe(206)
      expect((await ask(url, { ...small, 'accept-encoding': 'gzip' })).status).toBe(206)
      expect((await ask(url, {}, { method: 'HEAD' })).status).toBe(200)
      expect((await ask(url, { 'if-none-match': String(headers.etag) })).status).toBe(304)
      expect((await ask(url, { range: `bytes=${large.length}-` })).status).toBe(416)
    }
    await expectAllFree(url)
  })

  it('release their slots when the client disconnects: early, half-way, or behind another request', async () => {
    const url = await (await makeLarge()).url()
    for (let time = 0; time < 12; time++) {
      isWaiting.mockClear()
      const early = await begin(url, { headers: 'x-wait: yes\r\n' })
      await vi.waitFor(() => expect(isWaiting).toHaveBeenCalled())
      early.destroy()
      const { socket } = await hold(url)
      socket.destroy()
      const piped = await begin(url, { headers: `\r\nGET ${url} HTTP/1.1\r\nhost: localhost\r\n` })
      await once(piped, 'readable')
      piped.destroy()
    }
    await expectAllFree(url)
  })

  it('release their slots when the report is damaged', async () => {
    const report = await makeLarge()
    const url = await report.url()
    const file = await open(join(service.reportsFolder, report.file), 'r+')
    const good = Buffer.alloc(1_000)
    await file.read(good, 0, good.length, 20_000)
    await file.write(Buffer.alloc(1_000, 0xff), 0, 1_000, 20_000)
    for (let time = 0; time < 6; time++) {
      const response = await fetch(`http://127.0.0.1:${port}${url}`, { headers: { 'accept-encoding': 'identity' } })
      expect(response.status).toBe(200)
      await expect(response.arrayBuffer()).rejects.toThrow()
    }
    await file.write(good, 0, good.length, 20_000)
    await file.close()
    await expectAllFree(url)
  })
})
