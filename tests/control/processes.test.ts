import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { changeAccount } from '../../src/access/change-account.ts'
import { demoPublishers } from '../../src/demo/publishers.ts'
import { addDays, dayOf } from '../../src/query/day.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { openStore } from '../../src/store/open-store.ts'
import { childrenOf } from '../setup/children.ts'
import { readExposition } from '../setup/exposition.ts'
import { makeKey } from '../setup/make-key.ts'
import { isAlive, openFolder } from '../setup/serve.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const { folder, serve } = await openFolder('processes-')
const demo = ['--demo', '--demo-days', '8']
const yesterday = addDays(dayOf(Date.now()), -1)
/** Another limit is another query: nobody remembers its answer. */
const queryOf = (limit: number) => ({
  start: addDays(yesterday, -3),
  end: yesterday,
  dimensions: ['Country', 'Day'],
  metrics: ['Auctions', 'eCPM', 'Uniques'],
  limit,
})

type Sent = { readonly key?: string; readonly method?: string; readonly body?: object; readonly signal?: AbortSignal }

/** A request on a connection of its own: the processes take turns at connections. */
async function send(url: string, { key = '', body, method = body ? 'POST' : 'GET', signal }: Sent = {}) {
  const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) }
  const sent = request(url, { method, headers, agent: false, ...(signal && { signal }) })
  sent.end(body && JSON.stringify(body))
  const [response] = await once(sent, 'response')
  return { status: Number(response.statusCode), text: (await text(response)).replace(/req_\w+/, 'req_') }
}
const ask = (address: string, key: string, limit: number, signal?: AbortSignal) =>
  send(`${address}/v2/data/synchronous?cube=auctions`, { key, body: queryOf(limit), ...(signal && { signal }) })

/** Long enough for a busy machine. */
const soon = { timeout: 30_000, interval: 20 }

type Server = ReturnType<typeof serve>

const httpPids = ({ output }: Server): number[] =>
  [...output.stderr.matchAll(/"pid":(\d+),"msg":"HTTP process ready"/g)].map(([, pid]) => Number(pid))
const signal = (pids: readonly number[], name: NodeJS.Signals): void => pids.forEach((pid) => process.kill(pid, name))

/** Keys of as many of the sample publishers as there are quotas, so many times as large as usual. */
async function makeKeys(place: Parameters<typeof openStore>[0], rateFactors: readonly number[]): Promise<string[]> {
  const store = await openStore(place)
  const keys = []
  for (const [index, rateFactor] of rateFactors.entries()) {
    const { id } = demoPublishers[index]!
    await changeAccount(store, id, { rateFactor }, Date.now())
    keys.push(await makeKey(store, id, Date.now()))
  }
  await store.destroy()
  return keys
}

/** How many of so many requests at once passed, and how many were refused. */
async function countStatuses(address: string, key: string, requests: number): Promise<Record<string, number>> {
  const answers = await Promise.all(Array.from({ length: requests }, () => ask(address, key, 5)))
  return Object.fromEntries(
    Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, all]) => [status, all!.length]),
  )
}

describe('several HTTP processes', async () => {
  // Reports are held at their begin.
  const hold = join(folder, 'hold.mjs')
  await writeFile(hold, "if (process.argv[1]?.includes('export-child')) process.kill(process.pid, 'SIGSTOP')\n")
  const one = serve(demo, { ADCUBE_EXPORTS: '0' })
  await one.address()
  const server = serve(demo, {
    ADCUBE_PROCESSES: '3',
    ADCUBE_METRICS_PORT: '0',
    ADCUBE_EXPORTS: '1',
    NODE_OPTIONS: `--import ${hold}`,
  })
  const address = await server.address()
  const [limited = '', busy = ''] = await makeKeys({ folder }, [10, 100])

  const metric = async (name: string, labels = {}): Promise<number | undefined> => {
    const url = /Metrics at (http:\S+?)"/.exec(server.output.stderr)![1]
    const samples = readExposition((await send(`${url}/metrics`)).text)
    return samples.find((each) => each.name === name && JSON.stringify(each.labels) === JSON.stringify(labels))?.value
  }
  const countQueries = (outcome: string) => metric('adcube_query_duration_seconds_count', { outcome })
  const queriesUnderWay = async (count: number) =>
    vi.waitFor(async () => {
      expect((await metric('adcube_queries_running'))! + (await metric('adcube_queries_queued'))!).toBe(count)
    }, soon)

  it('are ready when all of them are, and answer what one process does', async () => {
    expect(server.output.stdout.match(/Adcube is ready/g)).toHaveLength(1)
    await vi.waitFor(() => expect(httpPids(server)).toHaveLength(3), soon)
    const answersOf = async (from: string) => [
      await send(`${from}/healthz`),
      await send(`${from}/readyz`),
      await send(`${from}/v2/data`, { key: busy }),
      await send(`${from}/v2/data/metadata`, { key: busy }),
      await ask(from, busy, 7),
      await ask(from, busy, 1_000),
    ]
    const expected = await answersOf(await one.address())
    expect(expected.map(({ status }) => status)).toEqual(Array(expected.length).fill(200))
    for (let turn = 0; turn < 3; turn++) expect(await answersOf(address)).toEqual(expected)
    // A request is recorded when it is over, which its caller may know sooner.
    await vi.waitFor(async () => {
      const answering = server.output.stderr.matchAll(/"pid":(\d+),"reqId".*"msg":"request"/g)
      expect(new Set([...answering].map(([, pid]) => Number(pid)))).toEqual(new Set(httpPids(server)))
      expect(await metric('adcube_http_requests_total', { method: 'GET', route: '/v2/data', status: '200' })).toBe(3)
    }, soon)
  })

  it('let exactly the quota of requests through', async () => {
    expect(await countStatuses(address, limited, 90)).toEqual({ 200: 50, 429: 40 })
    const refused = () => metric('adcube_rate_limit_rejections_total', { rule: 'data-post' })
    await vi.waitFor(async () => expect(await refused()).toBe(40), soon)
  })

  it('stop a query whose caller hangs up', async () => {
    signal([server.queryPid()], 'SIGSTOP')
    const caller = new AbortController()
    const asked = ask(address, busy, 11, caller.signal).catch((error: Error) => error.name)
    await queriesUnderWay(1)
    caller.abort()
    expect(await asked).toBe('AbortError')
    await vi.waitFor(() => expect(server.output.stderr).toContain('client disconnected'), soon)
    signal([server.queryPid()], 'SIGCONT')
    await queriesUnderWay(0)
    expect(await countQueries('cancelled')).toBe(1)
  })

  it('can be killed: one takes its own requests along, and another takes its place', async () => {
    signal([server.queryPid()], 'SIGSTOP')
    const answered = (await countQueries('ok'))!
    const asked = [12, 13, 14].map((limit) => ask(address, busy, limit).catch((error: Error) => error))
    await queriesUnderWay(3)
    const [killed = 0] = httpPids(server)
    const queryPid = server.queryPid()
    process.kill(killed, 'SIGKILL')
    await Promise.race(asked)
    signal([server.queryPid()], 'SIGCONT')
    const outcomes = (await Promise.all(asked)).map((each) => ('status' in each ? `${each.status}` : 'broken off'))
    expect(outcomes.toSorted()).toEqual(['200', '200', 'broken off'])
    await queriesUnderWay(0)
    expect(await countQueries('ok')).toBe(answered + 2)
    await vi.waitFor(() => expect(httpPids(server)).toHaveLength(4), soon)
    expect(isAlive(killed)).toBe(false)
    for (const limit of [15, 16, 17]) expect((await ask(address, busy, limit)).status).toBe(200)
    expect(server.queryPid()).toBe(queryPid)
  })

  it('have reports made, cancelled and downloaded', async () => {
    const status = `${address}/v2/data/status`
    const start = async (): Promise<{ id: string; exportPid: number }> => {
      const sent = { key: busy, body: queryOf(20) }
      const { job_id: id } = JSON.parse((await send(`${address}/v2/data/asynchronous?cube=auctions`, sent)).text)
      const exporting = () =>
        childrenOf(server.child.pid!, 'export-child')[0] ?? expect.fail('No report is being made.')
      return { id, exportPid: await vi.waitFor(exporting, soon) }
    }
    const first = await start()
    const cancelled = await send(`${status}?jobId=${first.id}`, { key: busy, method: 'DELETE' })
    expect(JSON.parse(cancelled.text)).toMatchObject({ job_status: 'FAILED' })
    await vi.waitFor(() => expect(isAlive(first.exportPid)).toBe(false), soon)

    const second = await start()
    const url = await vi.waitFor(async () => {
      if (isAlive(second.exportPid)) process.kill(second.exportPid, 'SIGCONT')
      const [job] = JSON.parse((await send(`${status}?jobId=${second.id}`, { key: busy })).text)
      expect(job.job_status).toBe('SUCCESS')
      return String(job.output_url)
    }, soon)
    for (let turn = 0; turn < 3; turn++) {
      const { status, text: csv } = await send(url)
      expect(status).toBe(200)
      expect(csv.split('\r\n')).toHaveLength(22)
    }
  })

  it('finish the requests under way after Ctrl-C, and leave no process behind', async () => {
    signal([server.queryPid()], 'SIGSTOP')
    const asked = ask(address, busy, 30)
    await queriesUnderWay(1)
    const alive = [...httpPids(server), server.queryPid()].filter(isAlive)
    expect(alive).toHaveLength(4)
    // As the terminal does: all of them are told.
    signal([...alive, server.child.pid!], 'SIGINT')
    await vi.waitFor(() => expect(server.output.stderr).toContain('"msg":"stopping"'), soon)
    signal([server.queryPid()], 'SIGCONT')
    expect((await asked).status).toBe(200)
    if (server.child.exitCode === null) await once(server.child, 'exit')
    expect(server.child.exitCode).toBe(0)
    expect(alive.filter(isAlive)).toEqual([])
    await expect(send(`${address}/healthz`)).rejects.toThrow('ECONNREFUSED')
  })
})

it('processes with PostgreSQL let exactly the quota through, and end when the first one is killed', async () => {
  const place = await makePlace('PostgreSQL')
  const store = await openStoreAt(place)
  await insertAccount(store, { id: 'one', name: 'One', rateFactor: 10, createdAt: Date.now() })
  const key = await makeKey(store, 'one', Date.now())
  const { serve } = await openFolder('processes-postgres-')
  const server = serve([], { ADCUBE_PROCESSES: '2', ADCUBE_DATABASE_URL: place.databaseUrl })
  expect(await countStatuses(await server.address(), key, 90)).toEqual({ 200: 50, 429: 40 })

  const alive = [...httpPids(server), server.queryPid()].filter(isAlive)
  expect(alive).toHaveLength(3)
  server.child.kill('SIGKILL')
  await vi.waitFor(() => expect(alive.filter(isAlive)).toEqual([]), soon)
})
