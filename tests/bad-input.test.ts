import { once } from 'node:events'
import { connect } from 'node:net'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeJsonFault } from '../src/http/edge/describe-json-fault.ts'
import { openService } from './setup/service.ts'

const service = await openService()
const good = { start: '2026-11-13', end: '2026-11-14', dimensions: ['Country'], metrics: ['Auctions'] }

/** The fields of an error that clients rely on. */
function expectProblem(
  answer: { status: number; headers: Record<string, unknown>; body: any },
  status: number,
  code: string,
): void {
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code })
  expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(answer.body).toMatchObject({
    type: `urn:adcube:problem:${code}`,
    status,
    title: expect.any(String),
    detail: expect.any(String),
  })
  expect(answer.body.request_id).toBe(answer.headers['x-request-id'])
}

describe('bad input', () => {
  let key = ''
  beforeAll(async () => {
    key = (await service.createAccount('bad-input')).key
  })

  const send = async (options: { method?: 'PUT'; url: string; headers?: Record<string, string>; payload?: string }) => {
    const response = await service.app.inject({
      method: 'POST',
      ...options,
      headers: { 'x-api-key': key, ...options.headers },
    })
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, unknown>,
      body: JSON.parse(response.body),
    }
  }

  it.each([
    ['#/start', { ...good, start: '2026-02-30' }],
    ['#/start', { ...good, start: '2026-10-30', end: '2026-10-30' }],
    ['#/end', { ...good, end: '2026-11-12' }],
    ['#/end', { ...good, end: '2026-11-15' }],
    ['#/end', { ...good, start: '2026-10-31', end: '2026-11-14' }],
    ['#/dimensions', { ...good, dimensions: ['Country', 'OS', 'Day'] }],
    ['#/dimensions/0', { ...good, dimensions: ['Contry'] }],
    ['#/dimensions/1', { ...good, dimensions: ['Country', 'COUNTRY'] }],
    ['#/metrics', { ...good, metrics: ['Auctions', 'CTR', 'eCPM', 'Clicks', 'Uniques', 'Cleared'] }],
    ['#/metrics', { ...good, metrics: [] }],
    ['#/metrics/0', { ...good, metrics: [7] }],
    ['#/filters', { ...good, filters: Array.from({ length: 6 }, () => ({ field: 'OS', operator: '=', value: 'x' })) }],
    ['#/filters/0/values', { ...good, filters: [{ field: 'OS', operator: 'in' }] }],
    ['#/filters/0/operator', { ...good, filters: [{ field: 'OS', operator: '>', value: '1' }] }],
    ['#/filters/0/value', { ...good, filters: [{ field: 'OS', operator: '=', value: 1 }] }],
    ['#/filters/0/value', { ...good, filters: [{ field: 'OS', operator: '=', value: '\ud800' }] }],
    ['#/sort', { ...good, sort: Array.from({ length: 6 }, () => ({ field: 'Auctions' })) }],
    ['#/sort/0/field', { ...good, sort: [{ field: 'OS' }] }],
    ['#/sort/0/order', { ...good, sort: [{ field: 'Country', order: 'up' }] }],
    ['#/limit', { ...good, limit: 0 }],
    ['#/limit', { ...good, limit: -1 }],
    ['#/limit', { ...good, limit: 1001 }],
    ['#/limit', { ...good, limit: 1.5 }],
    ['#/colour', { ...good, colour: 'red' }],
    ['#/dataset', { ...good, dataset: 5 }],
    ['#', []],
    ['#', 'text'],
    ['#', null],
  ])('is a 400 that points at %s', async (pointer, query) => {
    const answer = await service.ask(key, 'auctions', JSON.stringify(query))
    expectProblem(answer, 400, 'invalid_query')
    expect(answer.body.errors.map((error: any) => error.pointer)).toEqual([pointer])
  })

  it('is answered with all faults together', async () => {
    const { body } = await service.ask(key, 'auctions', {
      ...good,
      start: 'soon',
      metrics: ['Auction'],
      limit: 0,
      x: 1,
    })
    expect(body.errors.map((error: any) => error.pointer).toSorted()).toEqual([
      '#/limit',
      '#/metrics/0',
      '#/start',
      '#/x',
    ])
    expect(body.errors.find((error: any) => error.pointer === '#/metrics/0').detail).toContain(
      'Did you mean "Auctions"?',
    )
  })

  it.each(['', '{', '{"start":}', '\0', '{"a":1}{"b":2}'])('that is not JSON is a 400: %j', async (payload) => {
    const url = '/v2/data/synchronous?cube=auctions'
    expectProblem(await send({ url, payload, headers: { 'content-type': 'application/json' } }), 400, 'malformed_json')
  })

  it.each([
    ['arrays', (levels: number) => '['.repeat(levels) + ']'.repeat(levels)],
    ['objects', (levels: number) => '{"[\\"{":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1)],
    ['unclosed arrays', (levels: number) => '['.repeat(levels)],
  ])('of nested %s is parsed up to 50 levels', async (_what, nest) => {
    const sent = (levels: number) => service.ask(key, 'auctions', nest(levels))
    expect((await sent(50)).body.detail).not.toContain('nested')
    const answer = await sent(51)
    expectProblem(answer, 400, 'malformed_json')
    expect(answer.body.detail).toBe('The body is nested deeper than 50 levels.')
    expect((await sent(50_000)).body.detail).toBe(answer.body.detail)
  })

  it('may have any brackets in its texts', async () => {
    const value = '[{"\\'.repeat(60)
    const filters = [{ field: 'Country', operator: '=', value }]
    expect((await service.ask(key, 'auctions', { ...good, filters })).body).toMatchObject({ data: [] })
  })

  it.each([
    ['', 'The body is empty.'],
    [' \n', 'The body is empty.'],
    ['{', 'The JSON ends too early, at line 1, column 2.'],
    ['{"start": "2026-11-13"', 'The JSON ends too early, at line 1, column 23.'],
    ['{"start":}', 'The body is not JSON at line 1, column 10.'],
    ["{'start': 1}", 'The body is not JSON at line 1, column 2.'],
    ['{"a":1}{"b":2}', 'The body is not JSON at line 1, column 8.'],
    ['{\n  "metrics": ["Clicks",],\n}', 'The body is not JSON at line 2, column 24.'],
    ['{\r\n  "limit": 010\r\n}', 'The body is not JSON at line 2, column 13.'],
    ['{"a": "\\x"}', 'The body is not JSON at line 1, column 8.'],
    ['{"a": "line\nbreak"}', 'The body is not JSON at line 1, column 12.'],
    ['\ufeff{"a":}', 'The body is not JSON at line 1, column 7.'],
    ['start=2026-11-13', 'The body is not JSON at line 1, column 1.'],
    [`{"a": "${'x'.repeat(70_000)}`, 'The body cannot be parsed as JSON.'],
  ])('that is not JSON is refused with line and column (%#)', async (payload, detail) => {
    const url = '/v2/data/synchronous?cube=auctions'
    const { body } = await send({ url, payload, headers: { 'content-type': 'application/json' } })
    expect(body).toMatchObject({ code: 'malformed_json', detail })
  })

  it('is refused by its place only if JSON.parse refuses it', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '1', ':', '\\'), (json, at, added) => {
        const place = at % (json.length + 1)
        const text = json.slice(0, place) + added + json.slice(place + (added === '' ? 1 : 0))
        fc.pre(text.trim() !== '')
        const isJson = ((): boolean => {
          try {
            return JSON.parse(text) !== undefined
          } catch {
            return false
          }
        })()
        // All that is JSON ends where something else could follow.
        if (isJson) expect(describeJsonFault(text)).toMatch(/too early, at line 1, column /)
        else {
          const [, column] = /column (\d+)\.$/.exec(describeJsonFault(text))!
          expect(Number(column)).toBeLessThanOrEqual(text.length + 1)
        }
      }),
    )
  })

  it.each([
    ['/v1/data/synchronous?cube=auctions', '/v2/data/synchronous'],
    ['/v3/data', '/v2/data'],
    ['/api/v2/data/status', '/v2/data/status'],
    ['/v2/data/metadata/', '/v2/data/metadata'],
    ['/v1/line-items', undefined],
    ['/v2/data/unknown', undefined],
  ])('with the path %s is a 404 that suggests %s', async (url, meant) => {
    const { body } = await send({ url })
    const unknown = 'Unknown path. The data endpoints are under /v2/data, those of the console under /console/api.'
    expect(body).toMatchObject({
      code: 'not_found',
      detail: meant === undefined ? unknown : `${unknown} Did you mean "${meant}"?`,
    })
  })

  it('with the key in Authorization is a 401 that names the right header', async () => {
    const url = '/v2/data'
    const inject = async (headers: Record<string, string>) => (await service.app.inject({ url, headers })).json()
    expect(await inject({ authorization: `Bearer ${key}` })).toMatchObject({
      code: 'key_missing',
      detail: 'Send your key in the header x-api-key, not in Authorization.',
    })
    expect((await inject({})).detail).toBe('Send your key in the header x-api-key.')
  })

  it('with the names __proto__ and constructor is an unknown field', async () => {
    const payload = `{"__proto__":{"x":1},"constructor":{"prototype":1},${JSON.stringify(good).slice(1)}`
    const answer = await service.ask(key, 'auctions', payload)
    expectProblem(answer, 400, 'invalid_query')
    expect(answer.body.errors.map((error: any) => error.pointer)).toEqual(['#/__proto__', '#/constructor'])
  })

  it('with very many faults gets a short answer', async () => {
    const filters = Array.from({ length: 5 }, () => ({ field: 'OS', operator: 'in', values: Array(1000).fill(1) }))
    const { body } = await service.ask(key, 'auctions', { ...good, filters })
    expect(body.errors).toHaveLength(100)
  })

  it('of two megabytes is a 413', async () => {
    const payload = JSON.stringify({ ...good, dataset: 'x'.repeat(2_000_000) })
    expectProblem(await service.ask(key, 'auctions', payload), 413, 'body_too_large')
  })

  it('in another media type is a 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const answer = await send({
        url: '/v2/data/synchronous?cube=auctions',
        payload: 'a=1',
        headers: { 'content-type': type },
      })
      expectProblem(answer, 415, 'unsupported_media_type')
    }
  })

  it.each([
    ['/v2/data/synchronous', 'cube'],
    ['/v2/data/synchronous?cube=', 'cube'],
    ['/v2/data/synchronous?cube=auction', 'cube'],
    ['/v2/data/synchronous?cube=auctions&cube=auctions', 'cube'],
    ['/v2/data/synchronous?cube=auctions&cub=x', 'cub'],
  ])('in the URL %s is a 400 that names the parameter', async (url, parameter) => {
    const answer = await send({ url, payload: JSON.stringify(good), headers: { 'content-type': 'application/json' } })
    expectProblem(answer, 400, 'invalid_parameter')
    expect(answer.body.errors[0].parameter).toBe(parameter)
  })

  it('such as an unknown path is a 404, and a wrong method is a 405 with Allow', async () => {
    expectProblem(await service.get(key, '/v2/nothing'), 404, 'not_found')
    expectProblem(await service.get(key, '/nothing'), 404, 'not_found')
    const answer = await send({ method: 'PUT', url: '/v2/data/synchronous' })
    expectProblem(answer, 405, 'method_not_allowed')
    expect(answer.headers.allow).toBe('POST')
  })

  it('that is not HTTP gets a problem and a closed connection', async () => {
    const url = new URL(await service.app.listen({ host: '127.0.0.1', port: 0 }))
    const socket = connect(Number(url.port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    socket.write('nonsense\r\n\r\n')
    await once(socket, 'close')
    expect(text).toMatch(/^HTTP\/1.1 400 /)
    expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toMatchObject({ status: 400, code: 'bad_request' })
  })
})
