import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, vi } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { atEnd } from './setup/at-end.ts'
import { dimensionValues, loadTestFacts } from './setup/facts.ts'
import { openService } from './setup/service.ts'

const service = await openService()
service.workers.start()
const baseUrl = await service.app.listen({ host: '127.0.0.1', port: 0 })
const account = await service.createAccount('mcp')
const facts = dimensionValues.map((value, index) => ({
  day: '2026-11-14',
  dimensions: { Country: value },
  measures: { auctions: BigInt(index + 1), net_revenue: 0n, clicks: 0n },
  devices: [],
}))
await loadTestFacts(service, auctions, account.id, facts)

const query = {
  start: '2026-11-14',
  end: '2026-11-14',
  dimensions: ['Country'],
  metrics: ['Auctions'],
  sort: [{ field: 'Auctions', order: 'desc' }],
}

const overHttp = () =>
  new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), {
    requestInit: { headers: { 'x-api-key': account.key } },
  })
const overStdio = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: ['src/cli/main.ts', 'mcp'],
    env: { PATH: process.env['PATH'] ?? '', ADCUBE_BASE_URL: baseUrl, ADCUBE_API_KEY: account.key },
  })

describe.each([
  ['HTTP', overHttp],
  ['stdio', overStdio],
])('MCP over %s', async (_, open) => {
  const client = new Client({ name: 'tests', version: '1' })
  await client.connect(open())
  atEnd(() => client.close())

  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: input })
    const [part] = content
    return { isError, text: part?.type === 'text' ? part.text : '' }
  }
  const ask = async (name: string, input: Record<string, unknown> = {}) => {
    const { isError, text } = await call(name, input)
    expect(isError, text).toBe(false)
    return JSON.parse(text)
  }

  it('lists tools with descriptions', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['list_ranges', 'list_fields', 'query', 'start_report', 'get_job'])
    for (const tool of tools) expect(tool).toMatchObject({ title: expect.any(String), description: expect.any(String) })
  })

  it('finds days and fields', async () => {
    expect((await ask('list_ranges')).ranges).toContainEqual({
      cube: auctions.name,
      start: '2026-11-14',
      end: '2026-11-14',
    })
    const { dimensions, metrics } = await ask('list_fields', { cube: 'auctions', words: 'net revenue' })
    expect({ dimensions, metrics }).toMatchObject({
      dimensions: [],
      metrics: [{ name: 'eCPM' }, { name: 'Net Revenue' }],
    })
  })

  it('returns the answer of the API', async () => {
    const { data } = await ask('query', { cube: 'auctions', ...query })
    expect(data).toEqual((await service.ask(account.key, 'auctions', query)).body.data)
  })

  it('explains how to correct an invalid call', async () => {
    const wrong = await call('query', { cube: 'auctions', ...query, metrics: ['Aucions'], end: '2026-11-99' })
    expect(wrong.isError).toBe(true)
    expect(wrong.text).toContain('"Auctions"')
    expect(wrong.text).toContain('#/end')
    expect((await call('get_job', { job_id: 'job_0' })).text).toContain('Unknown job')
    expect((await call('query', { cube: 'nothing' })).isError).toBe(true)
  })

  it('makes a complete report', async () => {
    let job = await ask('start_report', { cube: 'auctions', ...query })
    await expect
      .poll(async () => (job = await ask('get_job', { job_id: job.job_id })).job_status, { timeout: 60_000 })
      .toBe('SUCCESS')
    const csv = await (await fetch(job.output_url)).text()
    expect(csv.split('\r\n').length).toBe(job.rows + 2)
  })
})

const send = (headers: Record<string, string>, payload: unknown) =>
  service.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    payload: JSON.stringify(payload),
  })
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('MCP over HTTP', () => {
  it('accepts the key as a bearer token too, for its tools as well', async () => {
    const call = { ...ping, method: 'tools/call', params: { name: 'list_ranges', arguments: {} } }
    for (const [name, value] of [
      ['x-api-key', account.key],
      ['authorization', `Bearer ${account.key}`],
      ['authorization', `bearer ${account.key}`],
    ] as const) {
      const { statusCode, body } = await send({ [name]: value }, call)
      expect(statusCode).toBe(200)
      expect(body).toContain(auctions.name)
    }
    expect((await send({ authorization: `Basic ${account.key}` }, call)).statusCode).toBe(401)
    const elsewhere = { url: '/v2/data', headers: { authorization: `Bearer ${account.key}` } }
    expect((await service.app.inject(elsewhere)).statusCode).toBe(401)
  })

  it('compiles no schemas for a message', async () => {
    await send({ 'x-api-key': account.key }, ping)
    let compiled = 0
    const construct = (target: typeof Function, words: string[]) => {
      compiled++
      return Reflect.construct(target, words)
    }
    vi.stubGlobal('Function', new Proxy(Function, { construct }))
    const { statusCode, body } = await send({ 'x-api-key': account.key }, ping)
    vi.unstubAllGlobals()
    expect([statusCode, compiled]).toEqual([200, 0])
    expect(body).toContain('"result":{}')
  })

  it('refuses requests without a valid key', async () => {
    for (const key of [undefined, 'adc_x']) {
      const response = await fetch(new URL('/mcp', baseUrl), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      expect(response.status).toBe(401)
    }
  })
})
