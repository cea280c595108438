import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import { sampleDay, sampleHeader } from '../../src/demo/sample-facts.ts'
import { demoPublishers } from '../../src/demo/publishers.ts'
import { attachEngine } from '../../src/engine/engine.ts'
import { migrateEngine } from '../../src/engine/migrate.ts'
import { PrivateEngine, type Endpoint } from '../../src/engine/private-engine.ts'
import { loadFacts } from '../../src/ingest/load-facts.ts'
import { dayOf } from '../../src/query/day.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { openStore } from '../../src/store/open-store.ts'
import { makeKey } from '../setup/make-key.ts'

const kills = Number(process.env.KILLS ?? 20)
const seed = Number(process.env.SEED ?? 1)

/** The same moments for the same seed. */
let state = seed
const chance = (): number => {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31
  return state / 2 ** 31
}

it(`every accepted job ends, whole or with a reason, though something is killed ${kills} times`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-soak-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }))
  const log = pino({ level: 'silent' })

  // An engine that comes back under another address, behind one that stays, as a cluster's would.
  let endpoint: Endpoint | undefined
  const engine = new PrivateEngine({
    folder: join(folder, 'engine'),
    database: 'adcube',
    node: process.env.ADCUBE_ENGINE_NODE ?? process.execPath,
    log,
    onChange: (changed) => (endpoint = changed),
  })
  endpoint = await engine.start()
  onTestFinished(() => engine.stop())
  const proxy = createServer((incoming, outgoing) => {
    if (!endpoint) {
      outgoing.destroy()
      return
    }
    const login = Buffer.from(incoming.headers.authorization?.split(' ')[1] ?? '', 'base64').toString()
    const user = endpoint.users[login.startsWith('writer') ? 'writer' : 'reader']
    const { authorization: _, ...headers } = incoming.headers
    const forwarded = request(new URL(incoming.url ?? '/', endpoint.url), {
      method: incoming.method ?? 'GET',
      headers: { ...headers, 'x-clickhouse-user': user.name, 'x-clickhouse-key': user.password },
    })
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(outgoing)
      response.on('error', () => outgoing.destroy())
    })
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    incoming.on('error', () => forwarded.destroy())
    incoming.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const { port } = proxy.address() as AddressInfo

  const [publisher] = demoPublishers
  const accountId = publisher!.id
  const today = dayOf(Date.now())
  const store = await openStore({ folder })
  onTestFinished(() => store.destroy())
  await insertAccount(store, { id: accountId, name: 'Soak', rateFactor: 100, createdAt: Date.now() })
  const key = await makeKey(store, accountId, Date.now())
  const shared = await attachEngine(endpoint)
  await migrateEngine(shared, log)
  const csv = `${sampleHeader(auctions)}${sampleDay(auctions, publisher!, today)}`
  await loadFacts({ engine: shared, store, now: Date.now }, auctions, { name: 'test', stream: Readable.from([csv]) })
  await shared.close()

  const env = {
    ...process.env,
    ADCUBE_DATA_DIR: folder,
    ADCUBE_CLICKHOUSE_URL: `http://writer:x@127.0.0.1:${port}/adcube`,
    ADCUBE_CLICKHOUSE_READER_URL: `http://reader:x@127.0.0.1:${port}/adcube`,
    ADCUBE_RATE_LIMITS: 'off',
    ADCUBE_EXPORTS: '2',
    ADCUBE_EXPORT_FREE_MB: '0',
  }
  // As under any supervisor: what ends is started again, until it is all over.
  const children = new Map<string, ChildProcess>()
  let isOver = false
  let url = ''
  const keep = (name: string, args: readonly string[]): void => {
    if (isOver) return
    const child = spawn(process.execPath, ['src/cli/main.ts', ...args], { env, stdio: ['ignore', 'pipe', 'ignore'] })
    children.set(name, child)
    child.stdout.on('data', (chunk) => (url = /http:\/\/[\d.:]+/.exec(String(chunk))?.[0] ?? url))
    child.once('exit', () => void delay(500).then(() => keep(name, args)))
  }
  onTestFinished(() => {
    isOver = true
    for (const child of children.values()) child.kill('SIGKILL')
  })
  const untilUp = () =>
    vi.waitFor(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200), {
      timeout: 300_000,
      interval: 200,
    })
  const query = {
    start: today,
    end: today,
    dimensions: ['Day', 'Country', 'App Name', 'Adunit Name', 'Bidder Name', 'OS'],
    metrics: ['Auctions', 'Net Revenue', 'Uniques'],
    limit: 1_000_000,
  }
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const accepted = new Set<string>()
  const submit = async () => {
    try {
      const body = JSON.stringify(query)
      const response = await fetch(`${url}/v2/data/asynchronous?cube=auctions`, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(30_000),
      })
      if (response.status === 202) accepted.add(((await response.json()) as { job_id: string }).job_id)
    } catch {
      // Killed before it could answer: not accepted, as far as anybody knows.
    }
  }

  keep('server', ['serve', '--port', '0'])
  keep('worker', ['worker'])
  for (let count = 0; count < kills; count++) {
    await untilUp()
    await Promise.all([submit(), submit()])
    await delay(chance() * 6_000)
    const victim = ['server', 'worker', 'engine'][Math.floor(chance() * 3)]!
    process.stderr.write(`kill ${count + 1}: ${victim}\n`)
    if (victim === 'engine') {
      // One that is not back from the last time cannot be killed again.
      await vi.waitFor(() => expect(endpoint).toBeDefined(), { timeout: 300_000 })
      process.kill(engine.pid!, 'SIGKILL')
    } else children.get(victim)?.kill('SIGKILL')
  }

  await untilUp()
  const jobs = await vi.waitFor(
    async () => {
      const answers = await Promise.all(
        [...accepted].map(async (id) => {
          const response = await fetch(`${url}/v2/data/status?jobId=${id}`, { headers })
          return ((await response.json()) as any[])[0]
        }),
      )
      expect(answers.filter((job) => job.job_status === 'PROCESSING')).toEqual([])
      return answers
    },
    { timeout: 1_800_000, interval: 1_000 },
  )
  expect(jobs.length).toBe(accepted.size)
  const texts = new Set<string>()
  for (const job of jobs) {
    if (job.job_status === 'FAILED') {
      expect(job.failure_reason).toBeTruthy()
      continue
    }
    const text = await (await fetch(job.output_url)).text()
    expect(Buffer.byteLength(text)).toBe(job.bytes)
    expect(`sha256:${createHash('sha256').update(text).digest('hex')}`).toBe(job.checksum)
    expect(parse(text)).toHaveLength(job.rows + 1)
    texts.add(text)
  }
  // All asked the same, so all that were made are the same.
  expect(texts.size).toBe(1)
  const made = jobs.filter((job) => job.job_status === 'SUCCESS')
  process.stderr.write(
    `${jobs.length} jobs accepted: ${made.length} made, ${jobs.length - made.length} failed with a reason\n`,
  )

  // After the next start and its sweep there is one file a report, and no draft.
  for (const child of children.values()) child.kill('SIGKILL')
  const reports = join(folder, 'reports')
  await vi.waitFor(
    async () => {
      const files = (await readdir(reports)).filter((name) => name !== 'drafts')
      const ids = files.map((name) => name.replace(/_\d+\.csv\.gz$/, ''))
      expect(ids).toHaveLength(made.length)
      expect(new Set(ids)).toEqual(new Set(made.map((job) => job.job_id)))
      expect(await readdir(join(reports, 'drafts'))).toEqual([])
    },
    { timeout: 120_000, interval: 500 },
  )
})
