import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { expect, it, vi } from 'vitest'
import { disableAccount } from '../../src/access/accounts.ts'
import { updateAccount } from '../../src/store/accounts.ts'
import { openControlService } from '../setup/control-service.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const query = { start: '2026-11-01', end: '2026-11-14', dimensions: ['Day'], metrics: ['Auctions'] }
const values = '/values?cube=auctions&dimension=Country'
const store = await openStoreAt(await makePlace('SQLite'))
const service = await openControlService(store)
const { ask, click, clock, makeAccount, send, signIn } = service
const askConsole = (cookie: string, body: object = query, cube = 'auctions') =>
  click(cookie, 'POST', `/query?cube=${cube}`, body)
const askApi = (key: string) =>
  send({
    method: 'POST',
    url: '/v2/data/synchronous?cube=auctions',
    headers: { 'x-api-key': key },
    payload: query,
  })

// The engine is down, so a request that reaches it gets `engine_away`.
const passed = { status: 503, body: { code: 'engine_away' } }

it('queries reach 28 days back, and otherwise have the limits of synchronous queries', async () => {
  const { cookie } = await signIn((await makeAccount()).id, 'member')
  expect(await askConsole(cookie, { ...query, start: '2026-10-17', end: '2026-10-30' })).toMatchObject(passed)
  const { body } = await askConsole(cookie, {
    start: '2026-10-16',
    end: '2026-10-30',
    dimensions: ['Day', 'Country', 'OS'],
    metrics: ['Auctions', 'Clicks', 'CTR', 'eCPM', 'Cleared', 'Uniques'],
    limit: 1_001,
  })
  expect(body).toMatchObject({ status: 400, code: 'invalid_query' })
  expect(body.errors).toEqual([
    { pointer: '#/start', detail: 'Too old: console queries reach back to 2026-10-17, 28 days before today.' },
    { pointer: '#/end', detail: 'Too many days: the range has 15, console queries take at most 14.' },
    { pointer: '#/dimensions', detail: 'Too many dimensions: 3. A query can have at most 2.' },
    { pointer: '#/metrics', detail: 'Too many metrics: 6. A query can have at most 5.' },
    { pointer: '#/limit', detail: 'Must be a whole number from 1 to 1,000, not 1001.' },
  ])
})

it('queries can be as large as those of the API, and other bodies cannot', async () => {
  const { cookie } = await signIn((await makeAccount()).id, 'administrator')
  const large = [{ field: 'Site', operator: 'in', values: Array.from({ length: 1_000 }, () => 'x'.repeat(900)) }]
  expect(await askConsole(cookie, { ...query, filters: large })).toMatchObject(passed)
  expect((await askConsole(cookie, { ...query, filters: [...large, ...large] })).status).toBe(413)
  expect((await click(cookie, 'POST', '/keys', { name: 'x'.repeat(8_192) })).status).toBe(413)
})

it.each([
  ['', 'cube'],
  ['?cube=auctions', 'dimension'],
  ['?cube=auction&dimension=Country', 'cube'],
  ['?cube=auctions&dimension=Contry', 'dimension'],
  ['?cube=auctions&dimension=Auctions', 'dimension'],
  [`?cube=auctions&dimension=Country&search=${'x'.repeat(101)}`, 'search'],
  ['?cube=auctions&dimension=Country&serch=x', 'serch'],
  ['?cube=auctions&dimension=Country&search=x&search=y', 'search'],
])('a search for values with %s is refused, and the problem names %s', async (parameters, parameter) => {
  const { cookie } = await signIn((await makeAccount()).id, 'member')
  const { body } = await click(cookie, 'GET', `/values${parameters}`)
  expect(body).toMatchObject({ status: 400, code: 'invalid_parameter', errors: [{ parameter }] })
})

it('queries and searches for values have their own limit per account, and do not count for the API', async () => {
  const { id, key } = await makeAccount()
  const { cookie } = await signIn(id, 'member')
  const colleague = await signIn(id, 'administrator')
  const another = await signIn((await makeAccount()).id, 'member')
  for (let count = 0; count < 30; count++) {
    expect(await askConsole(cookie)).toMatchObject(passed)
    expect(await click(colleague.cookie, 'GET', values)).toMatchObject(passed)
  }
  const refused = { status: 429, body: { code: 'too_many_queries' }, headers: { 'retry-after': '1' } }
  expect(await askConsole(colleague.cookie)).toMatchObject(refused)
  expect(await click(cookie, 'GET', values)).toMatchObject(refused)
  expect(await askConsole(another.cookie)).toMatchObject(passed)
  // Neither the account's settings nor its keys are limited, and these requests do not count for the API.
  expect((await click(colleague.cookie, 'POST', '/keys', { name: 'Another' })).status).toBe(201)
  const first = await askApi(key)
  expect(first).toMatchObject(passed)
  expect(first.headers.ratelimit).toBe('"post";r=1079;t=60, "data-post";r=4;t=60, "synchronous";r=9;t=60')
  clock.now += 1_000
  for (let count = 0; count < 4; count++) expect(await askConsole(cookie)).toMatchObject(passed)
  expect(await askConsole(cookie)).toMatchObject(refused)
  clock.now += 60_000
  // Conversely, the console still works when the limits of the API are used up.
  for (let count = 0; count < 5; count++) expect(await askApi(key)).toMatchObject(passed)
  expect((await askApi(key)).status).toBe(429)
  expect(await askConsole(cookie)).toMatchObject(passed)
})

it('a forbidden cube is refused', async () => {
  const { id } = await makeAccount()
  const { cookie } = await signIn(id, 'administrator')
  await updateAccount(store, id, { cubes: [] })
  const refused = { status: 403, body: { code: 'cube_not_allowed' } }
  expect(await askConsole(cookie)).toMatchObject(refused)
  expect(await click(cookie, 'GET', values)).toMatchObject(refused)
})

it('a cube that is forbidden while the body is still arriving is refused', async () => {
  const { id } = await makeAccount()
  const { cookie } = await signIn(id, 'member')
  const { port } = new URL(await service.listen())
  const body = JSON.stringify(query)
  const headers = { cookie, 'content-type': 'application/json', 'content-length': body.length }
  const before = service.countBegun()
  const sent = request({ port, method: 'POST', path: '/console/api/query?cube=auctions', headers })
  sent.write(body.slice(0, 5))
  await vi.waitFor(() => expect(service.countBegun()).toBe(before + 1))
  await updateAccount(store, id, { cubes: [] })
  sent.end(body.slice(5))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  expect(response.resume().statusCode).toBe(403)
})

const requests = [
  ['POST', '/query?cube=auctions'],
  ['GET', values],
  ['GET', '/jobs'],
  ['POST', '/jobs?cube=auctions'],
  ['DELETE', `/jobs/job_${'0'.repeat(32)}`],
] as const

it.each(requests)('%s %s needs a session and does not accept keys', async (method, path) => {
  const { id, key } = await makeAccount()
  const refused = { status: 401, body: { code: 'sign_in_needed' } }
  expect(await ask(key, method, `/console/api${path}`)).toMatchObject(refused)
  const { cookie } = await signIn(id, 'member')
  await disableAccount(store, id, clock.now)
  expect(await click(cookie, method, path)).toMatchObject(refused)
})

it.each(requests.filter(([method]) => method !== 'GET'))(
  '%s %s refuses requests from other sites',
  async (method, path) => {
    const { cookie } = await signIn((await makeAccount()).id, 'member')
    for (const from of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://elsewhere.example' }]) {
      const answer = await send({ method, url: `/console/api${path}`, headers: { cookie, ...from }, payload: query })
      expect(answer).toMatchObject({ status: 403, body: { code: 'other_site' } })
    }
  },
)

it.each([
  ['/query', 'GET', 'POST'],
  ['/values', 'POST', 'GET, HEAD'],
  ['/jobs', 'DELETE', 'GET, HEAD, POST'],
  ['/jobs/x', 'GET', 'DELETE'],
  ['/jobs/x/cancel', 'GET', 'POST'],
] as const)('%s does not take %s, but %s', async (path, method, allow) => {
  const answer = await send({ method, url: `/console/api${path}` })
  expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' }, headers: { allow } })
})
