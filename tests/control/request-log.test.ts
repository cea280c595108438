import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, vi } from 'vitest'
import { openControlService } from '../setup/control-service.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const planted = 'planted-5QmZ'
const store = await openStoreAt(await makePlace('SQLite'))
const service = await openControlService(store)
const { ask, click, clock, logged, makeAccount, send, signIn } = service
const url = new URL(await service.listen())

/** Returns the request lines that were logged during an action. */
async function linesOf(act: () => Promise<unknown>): Promise<any[]> {
  const before = logged.length
  await act()
  await vi.waitFor(() => expect(logged.length).toBeGreaterThan(before))
  return logged
    .slice(before)
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request')
}

it('a request is logged in one line with account, key id, route, status, duration and timings', async () => {
  const { id, key } = await makeAccount()
  const { id: keyId } = await store
    .selectFrom('apiKeys')
    .select('id')
    .where('accountId', '=', id)
    .executeTakeFirstOrThrow()
  const number = expect.any(Number)
  expect(await linesOf(() => ask(key, 'GET', '/v2/data?cube=auctions'))).toMatchObject([
    {
      level: 30,
      method: 'GET',
      route: '/v2/data',
      status: 200,
      account: id,
      key: keyId,
      ms: number,
      ms_auth: number,
      ms_limits: number,
      ms_store: number,
    },
  ])
  clock.now += 181 * 86_400_000 + 10 * 86_400_000
  expect(await linesOf(() => ask(key, 'GET', '/v2/data'))).toMatchObject([
    { route: '/v2/data', status: 401, code: 'key_expired', key: keyId },
  ])
})

it('a rate-limited request is logged with the rule', async () => {
  const { key } = await makeAccount()
  for (let count = 0; count < 10; count++) await ask(key, 'GET', '/v2/data')
  expect(await linesOf(() => ask(key, 'GET', '/v2/data'))).toMatchObject([
    { status: 429, code: 'rate_limited', rule: 'data-get' },
  ])
})

it('a request of the console is logged with the id of the person, and without its contents', async () => {
  const account = await makeAccount()
  const admin = await signIn(account.id, 'administrator')
  const lines = await linesOf(() => click(admin.cookie, 'POST', '/keys', { name: planted }))
  expect(lines).toMatchObject([
    { method: 'POST', route: '/console/api/keys', status: 201, account: account.id, person: admin.id },
  ])
  expect(JSON.stringify(lines)).not.toContain(planted)
  expect(JSON.stringify(lines)).not.toContain(admin.email)
})

it('URLs are not logged as they were sent: neither unknown paths nor malformed ones', async () => {
  const paths = [`/${planted}`, `/v2/${planted}?x=${planted}`, `/${planted}/%zz`, `/reports/${planted}/x.csv?expires=1`]
  for (const path of paths) {
    const lines = await linesOf(() => send({ method: 'GET', url: path }))
    expect(lines.map(({ route }) => route)).toEqual([path.startsWith('/reports') ? '/reports/:jobId/:name' : 'none'])
  }
  expect(logged.join('')).not.toContain(planted)
})

it('a request whose client disconnects is logged as 499', async () => {
  const lines = await linesOf(async () => {
    const socket = connect(Number(url.port), url.hostname)
    await once(socket, 'connect')
    const begun = service.countBegun()
    socket.write(
      'POST /console/api/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    )
    await vi.waitFor(() => expect(service.countBegun()).toBe(begun + 1))
    socket.destroy()
  })
  expect(lines).toMatchObject([
    { method: 'POST', route: '/console/api/session', status: 499, ms_body: expect.any(Number) },
  ])
})

it('health checks are logged at level debug, and /readyz says what is missing', async () => {
  const lines = await linesOf(async () => {
    expect((await send({ method: 'GET', url: '/healthz' })).status).toBe(200)
    expect(await send({ method: 'GET', url: '/readyz' })).toMatchObject({
      status: 503,
      body: { status: 'not ready', missing: ['query engine'] },
    })
  })
  expect(lines).toMatchObject([
    { level: 20, route: '/healthz', status: 200 },
    { level: 20, route: '/readyz', status: 503 },
  ])
})
