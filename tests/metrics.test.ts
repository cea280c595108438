import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { demoPublishers } from '../src/demo/publishers.ts'
import { openStore } from '../src/store/open-store.ts'
import { readExposition, type Sample } from './setup/exposition.ts'
import { makeKey } from './setup/make-key.ts'
import { metricsIn } from './setup/promql.ts'
import { openFolder } from './setup/serve.ts'

const { folder, serve, begin } = await openFolder('metrics-')
const env = { ADCUBE_METRICS_PORT: '0', ADCUBE_EXPORTS: '0' }
const server = serve(['--demo', '--demo-days', '8'], env)
const api = await server.address()
const [, url = '', key = '', body = ''] = /^curl -s '([^']+)' -H 'x-api-key: ([^']+)'.* -d '([^']+)'$/m.exec(
  server.output.stdout,
)!
const worker = begin(['worker'], { ...env, ADCUBE_EXPORTS: '1' })
let workerLog = ''
worker.child.stderr.on('data', (chunk) => (workerLog += String(chunk)))
const addressIn = (log: string): string => /Metrics at (http:\S+?)"/.exec(log)![1]!
const metrics = addressIn(server.output.stderr)

const scrape = async (address = metrics): Promise<readonly Sample[]> => {
  const response = await fetch(`${address}/metrics`)
  expect(response.status).toBe(200)
  return readExposition(await response.text())
}
const valueOf = (samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number | undefined =>
  samples.find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value

const ask = (path = url, as = key) =>
  fetch(path, { method: 'POST', headers: { 'x-api-key': as, 'content-type': 'application/json' }, body })
const linesOfRequests = (): any[] =>
  server.output.stderr
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line))

describe('metrics', () => {
  it('count requests, and refusals by their rule', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 6; count++) statuses.push((await ask()).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    const samples = await scrape()
    const route = { method: 'POST', route: '/v2/data/synchronous' }
    expect(valueOf(samples, 'adcube_http_requests_total', { ...route, status: '200' })).toBe(5)
    expect(valueOf(samples, 'adcube_http_requests_total', { ...route, status: '429' })).toBe(1)
    expect(valueOf(samples, 'adcube_http_request_duration_seconds_count', { ...route, status: '200' })).toBe(5)
    expect(valueOf(samples, 'adcube_http_sent_bytes_total', { route: route.route })).toBeGreaterThan(1_000)
    expect(valueOf(samples, 'adcube_rate_limit_rejections_total', { rule: 'data-post' })).toBe(1)
    expect(valueOf(samples, 'adcube_rate_limit_rejections_total', { rule: 'data-get' })).toBe(0)
    expect(valueOf(samples, 'adcube_query_answers_total', { source: 'engine' })).toBe(1)
    expect(valueOf(samples, 'adcube_query_answers_total', { source: 'memory' })).toBe(4)
    expect(valueOf(samples, 'adcube_query_duration_seconds_count', { outcome: 'ok' })).toBe(1)
    expect(valueOf(samples, 'adcube_query_wait_seconds_count')).toBe(1)
    expect(valueOf(samples, 'adcube_queries_running')).toBe(0)
    expect(valueOf(samples, 'adcube_queries_queued')).toBe(0)
    expect(valueOf(samples, 'adcube_query_rows_total')).toBe(5)
    expect(valueOf(samples, 'adcube_query_process_memory_bytes')).toBeGreaterThan(1e7)
  })

  it('agree with the log, which has row counts and timings', async () => {
    await vi.waitFor(() => expect(linesOfRequests()).toHaveLength(6))
    const number = expect.any(Number)
    const times = { ms: number, ms_auth: number, ms_limits: number, ms_body: number, ms_store: number }
    for (const line of linesOfRequests().slice(0, 5)) {
      expect(line).toMatchObject({ status: 200, rows: 5, bytes: number, ...times, ms_wait: number, ms_engine: number })
      const { ms, ms_auth, ms_limits, ms_body, ms_store, ms_wait, ms_engine } = line
      expect(ms_auth + ms_limits + ms_body + ms_store + ms_wait + ms_engine).toBeLessThanOrEqual(ms + 1)
    }
  })

  it('have an address of their own', async () => {
    expect((await fetch(`${api}/metrics`)).status).toBe(404)
    expect((await fetch(`${metrics}/v2/data`, { headers: { 'x-api-key': key } })).status).toBe(404)
    expect((await fetch(`${metrics}/metrics`, { method: 'POST' })).status).toBe(405)
    expect(await (await fetch(`${metrics}/readyz`)).json()).toEqual({ status: 'ready', warnings: [] })
  })

  it('contain no account, key or raw URL, and have few labels for invalid requests', async () => {
    await fetch(`${api}/planted-5QmZ/x?planted-5QmZ`, { method: 'PROPFIND' })
    await fetch(`${api}/v7/planted-5QmZ`, { headers: { 'x-api-key': key } })
    const samples = await scrape()
    const text = JSON.stringify(samples)
    for (const word of ['planted-5QmZ', 'aurora-games', key.slice(4, 20), 'PROPFIND', folder]) {
      expect(text).not.toContain(word)
    }
    expect(valueOf(samples, 'adcube_http_requests_total', { method: 'other', route: 'none', status: '404' })).toBe(1)
  })

  it('of a worker count its reports', async () => {
    // For another account, because the first has used up its requests of this minute.
    const store = await openStore({ folder })
    const another = await makeKey(store, demoPublishers[1]!.id, Date.now())
    await store.destroy()
    expect((await ask(url.replace('/synchronous', '/asynchronous'), another)).status).toBe(202)
    const ownMetrics = await vi.waitFor(() => addressIn(workerLog), { timeout: 20_000 })
    await vi.waitFor(
      async () => {
        const samples = await scrape(ownMetrics)
        expect(valueOf(samples, 'adcube_export_rows_total')).toBe(5)
        expect(valueOf(samples, 'adcube_export_duration_seconds_count', { outcome: 'ok' })).toBe(1)
        expect(valueOf(samples, 'adcube_export_bytes_total')).toBeGreaterThan(50)
        expect(valueOf(samples, 'adcube_jobs', { state: 'succeeded' })).toBe(1)
      },
      { timeout: 30_000, interval: 200 },
    )
    expect(await (await fetch(`${ownMetrics}/healthz`)).json()).toEqual({ status: 'ok' })

    const jobs = await fetch(`${api}/v2/data/status`, { headers: { 'x-api-key': another } })
    const [{ output_url: address }] = (await jobs.json()) as [{ output_url: string }]
    const { length } = await (await fetch(address, { headers: { 'accept-encoding': 'identity' } })).text()
    const isDownload = ({ route }: any): boolean => route === '/reports/:jobId/:name'
    const line = await vi.waitFor(() => linesOfRequests().find(isDownload) ?? expect.fail('There is no such line.'))
    expect(line).toMatchObject({ method: 'GET', status: 200, account: demoPublishers[1]!.id })
    expect(line.bytes).toBeGreaterThan(length)
    expect(server.output.stderr).not.toContain(new URL(address).searchParams.get('signature'))
  })

  it('count a killed query process as a restart', async () => {
    expect(valueOf(await scrape(), 'adcube_engine_restarts_total', { reason: 'ended' })).toBe(0)
    process.kill(server.queryPid(), 'SIGKILL')
    await vi.waitFor(
      async () => expect(valueOf(await scrape(), 'adcube_engine_restarts_total', { reason: 'ended' })).toBe(1),
      { timeout: 20_000, interval: 100 },
    )
  })
})

describe('the dashboard and the alerts', () => {
  /** Labels that Prometheus adds, and the bounds of histograms. */
  const given = new Set(['job', 'instance', 'le'])

  const expressions = async (): Promise<readonly string[]> => {
    const rules = parse(await readFile('ops/prometheus/alerts.yml', 'utf8'))
    const { panels, templating } = JSON.parse(await readFile('ops/grafana/adcube.json', 'utf8'))
    return [
      ...rules.groups.flatMap((group: any) => group.rules.map(({ expr }: any) => expr)),
      ...panels.flatMap(({ targets = [] }: any) => targets.map(({ expr }: any) => expr)),
      ...templating.list.map(({ query }: any) => query),
    ]
  }

  it('use only metrics, labels and values that exist', async () => {
    // The age of the last backup is known when there was one.
    const store = await openStore({ folder })
    await store.insertInto('backups').values({ folder: '/backups', finishedAt: Date.now() }).execute()
    await store.destroy()
    const hasBackup = async () => valueOf(await scrape(), 'adcube_last_backup_timestamp_seconds') !== undefined
    await vi.waitFor(async () => expect(await hasBackup()).toBe(true), { timeout: 20_000, interval: 200 })
    // Some metrics exist only after such a request.
    await fetch(`${api}/readyz`)
    const samples = await scrape()
    const used = (await expressions()).flatMap((expression) => metricsIn(expression))
    expect(new Set(used.map(({ name }) => name)).size).toBeGreaterThan(25)
    for (const { name, labels, values } of used) {
      const there = samples.filter((sample) => sample.name === name)
      expect(there, name).not.toEqual([])
      for (const label of labels.filter((each) => !given.has(each))) {
        expect(Object.keys(there[0]!.labels), name).toContain(label)
      }
      for (const [label, value] of Object.entries(values)) {
        expect(
          there.map((sample) => sample.labels[label]),
          `${name} ${label}`,
        ).toContain(value)
      }
    }
  })

  it('show every metric of Adcube', async () => {
    const used = new Set((await expressions()).flatMap((expression) => metricsIn(expression)).map(({ name }) => name))
    const baseOf = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '')
    const ours = new Set((await scrape()).map(({ name }) => baseOf(name)).filter((name) => name.startsWith('adcube_')))
    expect([...ours].filter((name) => ![...used].some((each) => baseOf(each) === name))).toEqual([])
    const documented = await readFile('docs/operations.md', 'utf8')
    expect([...ours].filter((name) => !documented.includes(`\`${name}`))).toEqual([])
  })

  it('explain what each alert means and what to do', async () => {
    const { groups } = parse(await readFile('ops/prometheus/alerts.yml', 'utf8'))
    for (const { alert, labels, annotations } of groups.flatMap((group: any) => group.rules)) {
      expect(alert).toMatch(/^Adcube[A-Z]/)
      expect(labels.severity).toMatch(/^(?:warning|critical)$/)
      for (const text of [annotations.description, annotations.action]) expect(text, alert).toMatch(/^.{20,}\.$/s)
    }
  })
})

it('a server with metrics ends on a signal', async () => {
  server.child.kill('SIGTERM')
  expect(await once(server.child, 'exit')).toEqual([0, null])
  expect(server.output.stderr).not.toContain(key.slice(4, 44))
})
