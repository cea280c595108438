import { once } from 'node:events'
import { expect, it, vi } from 'vitest'
import { childrenOf } from '../setup/children.ts'
import { isAlive, openFolder } from '../setup/serve.ts'
import { makeInspector } from './fuzz/check-answer.ts'
import { idleCount, openIdle } from './fuzz/idle-connections.ts'
import { MemoryWindows } from './fuzz/memory.ts'
import { sendRequests, type Findings } from './fuzz/send-requests.ts'
import { stall, trickle } from './fuzz/slow-clients.ts'
import { askerRateFactor, knownAnswer, knownQuery, makeWorld } from './fuzz/world.ts'

const requests = Number(process.env.FUZZ_REQUESTS ?? 200_000)
/** Seed of this run. The same seed makes the same requests, except for keys and ids. */
const seed = Number(process.env.SEED ?? Math.trunc(Math.random() * 2 ** 31))
const minutesMax = Number(process.env.FUZZ_MINUTES ?? 60)
/** Number of requests for the server with rate limits. */
const limitedShare = 0.05

/**
 * V8 and the allocator keep pages, so memory varies by some ten MB. A leak of 2 KB a request would add 370 MB over the
 * whole run.
 */
const memoryGrowthMax = 1.3
const memoryGrowthMbMax = 50
const memoryWindow = 10_000

const say = (text: string): void => void process.stderr.write(`${text}\n`)

it(`${requests} hostile requests find no failure, no leak of data and no leak of memory`, async () => {
  say(`SEED=${seed}`)
  const opened = await openFolder('fuzz-')
  const world = await makeWorld(opened)
  const endAt = Date.now() + minutesMax * 60_000
  const limited = Math.round(requests * limitedShare)
  const unlimited = requests - limited

  const env = { ADCUBE_EXPORT_FREE_MB: '0', ADCUBE_QUERY_SECONDS: '10' }
  const start = async (rateLimits: 'on' | 'off') => {
    const server = opened.serve([], { ...env, ADCUBE_RATE_LIMITS: rateLimits })
    const url = await server.address()
    return { ...server, url, port: Number(new URL(url).port) }
  }
  type Server = Awaited<ReturnType<typeof start>>

  const ask = async ({ url }: Server) => {
    const headers = { 'x-api-key': world.keys.asker, 'content-type': 'application/json' }
    const body = JSON.stringify(knownQuery)
    const response = await fetch(`${url}/v2/data/synchronous?cube=auctions`, { method: 'POST', headers, body })
    return { status: response.status, data: ((await response.json()) as { data: unknown }).data }
  }
  const rightAnswer = { status: 200, data: knownAnswer('asker') }

  /** Stops the server with SIGINT, like Ctrl-C. */
  const stop = async ({ child }: Server): Promise<void> => {
    const children = childrenOf(child.pid!, '')
    expect(children).not.toEqual([])
    const exited = once(child, 'exit')
    child.kill('SIGINT')
    expect(await exited).toEqual([0, null])
    await vi.waitFor(() => expect(children.filter(isAlive)).toEqual([]), { timeout: 10_000 })
  }

  let server = await start('off')
  await world.makeReports(server.url)
  const victim = await world.countVictim()
  const { inspect, inspectLog } = await makeInspector(world, opened.folder)
  const fire = (range: { readonly from: number; readonly to: number }, onProgress?: (sent: number) => void) =>
    sendRequests({ port: server.port, seed, ...range, endAt, world, inspect, ...(onProgress && { onProgress }) })
  const report = (name: string, { sent, statuses, faults }: Findings, begun: number): void => {
    const seconds = (Date.now() - begun) / 1_000
    const counts = [...statuses].toSorted(([, one], [, other]) => other - one)
    say(`${name}: ${sent} requests in ${Math.round(seconds)} s, ${Math.round(sent / seconds)} a second`)
    say(counts.map(([status, count]) => `${status} x ${count}`).join(', '))
    expect(faults.map((fault) => fault.slice(0, 1_000))).toEqual([])
  }

  // Without rate limits, so that requests are not refused early. Slow clients connect at the same time.
  const memory = new MemoryWindows(
    { server: () => server.child.pid!, 'query process': () => server.queryPid() },
    unlimited,
    memoryWindow,
  )
  let begun = Date.now()
  const over = new AbortController()
  const slow = { port: server.port, seed, world, inspect, signal: over.signal }
  const trickling = trickle(slow)
  const stalling = stall(slow)
  const findings = await fire({ from: 0, to: unlimited }, (sent) => {
    memory.sample(sent)
    if (sent % 10_000 === 0) say(`${sent} requests, ${Math.round((Date.now() - begun) / 1_000)} s`)
  })
  over.abort()
  const trickled = await trickling
  say(`byte by byte: ${trickled.answered} requests`)
  for (const { name, firstMb, lastMb } of memory.growth)
    say(`memory of the ${name}: ${firstMb} MB during the first requests, ${lastMb} MB during the last`)
  report('without rate limits', findings, begun)
  expect(findings.sent, 'ran out of time: set FUZZ_MINUTES').toBe(unlimited)
  expect(trickled.faults).toEqual([])
  expect(await stalling).toEqual([])
  for (const { firstMb, lastMb } of memory.growth)
    expect(lastMb).toBeLessThanOrEqual(memoryGrowthMax * firstMb + memoryGrowthMbMax)

  // Silent connections do not block other clients, and are closed.
  const count = idleCount()
  const idle = await openIdle(server.port, count)
  let slowestMs = 0
  for (let round = 0; round < 50; round++) {
    const asked = performance.now()
    expect(await ask(server)).toEqual(rightAnswer)
    slowestMs = Math.max(slowestMs, performance.now() - asked)
  }
  say(`slowest answer beside ${count} idle connections: ${Math.round(slowestMs)} ms`)
  expect(idle.filter((socket) => socket.readyState === 'open').length).toBe(count)
  await vi.waitFor(() => expect(idle.every(({ closed }) => closed)).toBe(true), { timeout: 120_000, interval: 500 })
  expect(await ask(server)).toEqual(rightAnswer)
  await stop(server)
  expect(inspectLog(server.output.stderr).slice(0, 10)).toEqual([])

  // With rate limits, no spelling of a request returns more answers to an account than its quota.
  server = await start('on')
  begun = Date.now()
  const underLimits = await fire({ from: unlimited, to: requests })
  report('with rate limits', underLimits, begun)
  expect(underLimits.sent, 'ran out of time: set FUZZ_MINUTES').toBe(limited)
  const windows = Math.ceil((Date.now() - begun) / 60_000)
  expect(underLimits.rowAnswers).toBeLessThanOrEqual(5 * askerRateFactor * windows)
  await stop(server)
  expect(inspectLog(server.output.stderr).slice(0, 10)).toEqual([])
  expect(await world.countVictim()).toEqual(victim)
})
