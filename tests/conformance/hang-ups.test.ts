import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { expect, it, vi } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import { loadTestFacts } from '../setup/facts.ts'
import { openService } from '../setup/service.ts'

const service = await openService()
const account = await service.createAccount('hang-ups')
await loadTestFacts(service, auctions, account.id, [
  { day: '2026-11-14', dimensions: { Country: 'US' }, measures: { auctions: 1n }, devices: [] },
])
const query = { start: '2026-11-13', end: '2026-11-14', dimensions: ['Country'], metrics: ['Auctions'] }
const body = JSON.stringify(query)
const isWaiting = vi.fn()
// Holds the request's database reads until the client is gone.
service.app.addHook('preHandler', async (request) => {
  if (request.headers['x-wait'] === undefined) return
  isWaiting()
  if (!request.raw.socket.destroyed) await once(request.raw.socket, 'close')
})
await service.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = service.app.server.address() as AddressInfo

const ofApi = ['POST /v2/data/synchronous?cube=auctions HTTP/1.1', `x-api-key: ${account.key}`]
const ofConsole = ['POST /console/api/query?cube=auctions HTTP/1.1', `cookie: ${await service.signIn(account.id)}`]
it.each([
  ['on a connection of its own', '', ofApi],
  ['behind another request', 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n', ofApi],
  ['in the console', '', ofConsole],
])('a query whose client disconnects before it runs (%s) never runs', async (_where, before, head) => {
  const readRows = vi.spyOn(service.facts, 'readRows')
  const socket = connect(port, '127.0.0.1')
  const post = [...head, 'host: x', 'x-wait: yes', 'content-type: application/json', `content-length: ${body.length}`]
  socket.write(`${before}${post.join('\r\n')}\r\n\r\n${body}`)
  isWaiting.mockClear()
  await vi.waitFor(() => expect(isWaiting).toHaveBeenCalled(), { timeout: 20_000 })
  socket.destroy()
  await vi.waitFor(() => expect(readRows).toHaveBeenCalled(), { timeout: 20_000 })
  const [asked] = readRows.mock.results
  // The engine refuses cancelled queries, before it waits and before it runs them.
  await expect(asked?.value).rejects.toMatchObject({ name: 'FactsError', trouble: 'cancelled' })
  readRows.mockRestore()
})

it('queries on a kept-alive connection are answered', async () => {
  const address = `http://127.0.0.1:${port}/v2/data/synchronous?cube=auctions`
  const headers = { 'x-api-key': account.key, 'content-type': 'application/json' }
  for (let time = 0; time < 3; time++) {
    const response = await fetch(address, { method: 'POST', headers, body })
    expect(await response.json()).toMatchObject({ data: [{ Country: 'US', Auctions: 1 }] })
  }
})
