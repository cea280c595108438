import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, inject, it, vi } from 'vitest'
import { borrowOrOpenEngine } from '../src/engine/engine.ts'
import { borrowEndpoint } from '../src/engine/lend-endpoint.ts'
import { insertAccount } from '../src/store/accounts.ts'
import { hasStore, openStore } from '../src/store/open-store.ts'
import { openEngineProxy } from './setup/engine-proxy.ts'
import { makeKey } from './setup/make-key.ts'
import { isAlive, openFolder } from './setup/serve.ts'

/** A test that waits for an answer asks more often than an account may. */
const asOftenAsItLikes = { ADCUBE_RATE_LIMITS: 'off' }
const demo = ['--demo', '--demo-days', '2']

/** Runs the line that the first start printed, as a person would paste it. */
async function paste(line: string) {
  const [, url, key, body] =
    /^curl -s '([^']+)' -H 'x-api-key: ([^']+)' -H 'content-type: application\/json' -d '([^']+)'$/.exec(line)!
  const headers = { 'x-api-key': key!, 'content-type': 'application/json' }
  const response = await fetch(url!, { method: 'POST', headers, body: body! })
  const answer = (await response.json()) as any
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: answer }
}

/** As a command beside the server would, which could not start an engine itself. */
async function countFacts(folder: string): Promise<number> {
  const log = pino({ level: 'silent' })
  const engine = await borrowOrOpenEngine({ folder, node: '/nowhere', url: undefined, readerUrl: undefined, log })
  const result = await engine
    .reader()
    .query({ query: 'SELECT count() AS n FROM auctions_facts', format: 'JSONEachRow' })
  const [row] = await result.json<{ n: string }>()
  await engine.close()
  return Number(row?.n)
}

describe('adcube serve --demo', async () => {
  const { folder, serve, run } = await openFolder()
  const engineFolder = join(folder, 'engine')
  let line = ''
  let rows: unknown
  let lent: Awaited<ReturnType<typeof borrowEndpoint>>
  const outputs: { stdout: string; stderr: string }[] = []

  it(
    'answers the printed line, refuses a second process, lends its engine, and survives the death of it',
    { timeout: 900_000 },
    async () => {
      const { child, output, address, enginePid } = serve(demo, asOftenAsItLikes)
      outputs.push(output)
      await address()
      line = /^curl .*$/m.exec(output.stdout)![0]
      const before = await paste(line)
      rows = before.body.data
      expect(before.status).toBe(200)
      expect(rows).toHaveLength(5)
      expect(before.body.data[0]['Net Revenue']).toBeGreaterThan(0)

      const second = serve(demo)
      outputs.push(second.output)
      const [code] = await once(second.child, 'exit')
      expect(code).toBe(1)
      expect(second.output.stderr).toContain('in use by another Adcube')

      const facts = await countFacts(engineFolder)
      expect(facts).toBeGreaterThan(0)

      const firstEngine = enginePid()
      process.kill(firstEngine, 'SIGKILL')
      const statuses = new Set<number>()
      const hasAnswered = async () => {
        const { status, retryAfter } = await paste(line)
        statuses.add(status)
        if (status === 503) expect(retryAfter).toBe('1')
        expect(status).toBe(200)
      }
      await vi.waitFor(hasAnswered, { timeout: 300_000, interval: 100 })
      expect(statuses).toEqual(new Set([503, 200]))
      expect((await paste(line)).body.data).toEqual(rows)
      expect(enginePid()).not.toBe(firstEngine)
      expect(await countFacts(engineFolder)).toBe(facts)

      child.kill('SIGTERM')
      const [exitCode] = await once(child, 'exit')
      expect(exitCode).toBe(0)
      expect(isAlive(enginePid())).toBe(false)
      expect(await readdir(engineFolder)).toEqual(['data'])
    },
  )

  it(
    'starts again with its data, takes in more, and leaves no engine behind when it is killed',
    { timeout: 900_000 },
    async () => {
      const { child, output, address, enginePid } = serve(demo)
      outputs.push(output)
      const { status, body } = await paste(line.replace(/http:\/\/[\d.:]+/, await address()))
      expect(status).toBe(200)
      expect(body.data).toEqual(rows)
      expect(output.stdout).toContain('were shown at the first start')
      lent = await borrowEndpoint(engineFolder)

      const templates = join(folder, 'templates')
      expect(await run(['load', '--describe', 'auctions', '--templates', templates])).toMatchObject({ code: 0 })
      const loaded = await run(['load', 'auctions', join(templates, '*'), '--create-accounts', '--json'])
      expect(loaded).toMatchObject({ code: 0, stderr: '' })
      expect(JSON.parse(loaded.stdout)).toMatchObject({ rows: 3, created_accounts: ['my-account'], repeats_load: null })
      const day: string = JSON.parse(loaded.stdout).first_day
      const store = await openStore({ folder })
      const key = await makeKey(store, 'my-account', Date.now())
      await store.destroy()
      const query = { start: day, end: day, dimensions: ['Country'], metrics: ['Auctions', 'Net Revenue', 'Uniques'] }
      const asked = line
        .replace(/http:\/\/[\d.:]+/, await address())
        .replace(/adc_\w+/, key)
        .replace(/-d '.*'/, `-d '${JSON.stringify(query)}'`)
      expect((await paste(asked)).body.data).toEqual([{ Country: 'US', Auctions: 3, 'Net Revenue': 0.75, Uniques: 2 }])

      const refused = await run(['load', 'auctions', '-', '--json'], 'account,day,contry\nmy-account,2026-11-14,DE\n')
      expect(refused.code).toBe(1)
      expect(JSON.parse(refused.stdout)).toEqual({
        faults: [{ file: 'standard input', row: null, column: null, reason: expect.stringContaining('"contry"') }],
        count: 1,
      })
      expect(refused.stderr).toContain('adcube: 1 fault; nothing was loaded.')
      expect(JSON.parse((await run(['loads', '--limit', '2', '--json'])).stdout)).toMatchObject([
        { outcome: 'failed', visible_days: 0, failure_reason: expect.stringContaining('"contry"') },
        {
          outcome: 'visible',
          rows: 3,
          accounts: 1,
          first_day: day,
          files: [{ name: join(templates, 'auctions.csv') }, {}, {}],
        },
      ])

      child.kill('SIGKILL')
      await vi.waitFor(() => expect(isAlive(enginePid())).toBe(false), { timeout: 20_000 })
      expect(await borrowEndpoint(engineFolder)).toBeUndefined()
    },
  )

  it('shows its key and its password once, and keeps these and the engine’s in no file and no log', async () => {
    const key = /adc_\w{46}/.exec(line)![0]
    const password = /Sign-in {2}\S+ {2}(\S{20}) /.exec(outputs[0]!.stdout)![1]!
    for (const secret of [key, password]) {
      expect(outputs.map(({ stdout }) => stdout.includes(secret))).toEqual([true, false, false])
    }
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    expect(files).toContain(join(folder, 'adcube.db'))
    const texts = [
      ...outputs.map(({ stderr }) => stderr),
      ...(await Promise.all(files.map((file) => readFile(file, 'latin1')))),
    ]
    const { writer, reader } = lent!.users
    for (const secret of [key.slice(4, 44), password, writer.password, reader.password]) {
      expect(texts.filter((text) => text.includes(secret))).toEqual([])
    }
  })
})

describe('adcube load without a server', async () => {
  const { folder, begin } = await openFolder()

  it('lends its engine to another, and keeps it for as long as that takes', { timeout: 900_000 }, async () => {
    const day = new Date().toISOString().slice(0, 10)
    const csv = (account: string) => `account,day,auctions\n${account},${day},1\n`
    const loading = ['load', 'auctions', '-', '--format', 'csv', '--create-accounts', '--json']
    const first = begin(loading)
    const states = async () => {
      if (!hasStore({ folder, databaseUrl: undefined })) return []
      const store = await openStore({ folder })
      const rows = await store.selectFrom('loads').select('state').orderBy('id').execute()
      await store.destroy()
      return rows.map(({ state }) => state)
    }
    const become = (...wanted: string[]) =>
      vi.waitFor(async () => expect(await states()).toEqual(wanted), { timeout: 300_000, interval: 200 })
    await become('loading')
    const second = begin(loading, { ADCUBE_ENGINE_NODE: '/nowhere' })
    await become('loading', 'loading')
    first.child.stdin.end(csv('one'))
    await become('visible', 'loading')
    second.child.stdin.end(csv('two'))
    expect(await second.ended).toMatchObject({ code: 0, stderr: '' })
    expect(await first.ended).toMatchObject({ code: 0, stderr: '' })
    await become('visible', 'visible')
    expect(await readdir(join(folder, 'engine'))).toEqual(['data'])
  })
})

describe('adcube serve on a ClickHouse by its address', async () => {
  const { folder, serve } = await openFolder()
  const another = await openFolder()

  it('answers on SIGTERM what it was asked before, takes no more, ends, and leaves no room for other control data', async () => {
    const endpoint = inject('endpoint')
    const { writer, reader } = endpoint.users
    const proxy = await openEngineProxy(endpoint)
    const engine = {
      ADCUBE_CLICKHOUSE_URL: proxy.address(writer.name, writer.password),
      ADCUBE_CLICKHOUSE_READER_URL: proxy.address(reader.name, reader.password),
    }
    const { child, output, address } = serve([], engine)
    const url = await address()
    const store = await openStore({ folder })
    await insertAccount(store, { id: 'drained', name: 'Drained', createdAt: Date.now() })
    const key = await makeKey(store, 'drained', Date.now())
    await store.destroy()

    const today = new Date().toISOString().slice(0, 10)
    const query = { start: today, end: today, dimensions: [], metrics: ['Auctions'] }
    const line = `curl -s '${url}/v2/data/synchronous?cube=auctions' -H 'x-api-key: ${key}' -H 'content-type: application/json' -d '${JSON.stringify(query)}'`
    proxy.hold = true
    const asked = paste(line)
    // The server asks for reasons of its own, too, but as the writer.
    await vi.waitFor(() => expect(proxy.heldUsers()).toContain(reader.name), { timeout: 60_000 })
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await vi.waitFor(async () => expect(await fetch(url).catch(() => 'refused')).toBe('refused'), { timeout: 60_000 })
    proxy.release()
    expect((await asked).body.data).toEqual([{ Auctions: 0 }])
    expect(await exited).toEqual([0, null])

    const stranger = another.serve([], engine)
    expect(await once(stranger.child, 'exit')).toEqual([1, null])
    expect(stranger.output.stderr).toContain("The facts in the engine's database adcube belong to other control data")
    for (const { stdout, stderr } of [output, stranger.output]) expect(stdout + stderr).not.toContain(writer.password)
  })
})
