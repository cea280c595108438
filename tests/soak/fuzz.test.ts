import { expect, it, vi } from 'vitest'
import { openFolder } from '../setup/serve.ts'
import { makeInspector } from './fuzz/check-answer.ts'
import { idleCount, openIdle } from './fuzz/idle-connections.ts'
import { MemoryWindows } from './fuzz/memory.ts'
import { expectAnswer, reportFindings, startServer, stopServer } from './fuzz/run-server.ts'
import { sendRequests } from './fuzz/send-requests.ts'
import { stall, trickle } from './fuzz/slow-clients.ts'
import { makeWorld } from './fuzz/world.ts'
import { say, seed, tellSeed } from './seed.ts'

const requests = Number(process.env.FUZZ_REQUESTS ?? 200_000)
const minutesMax = Number(process.env.FUZZ_MINUTES ?? 60)

/**
 * V8 and the allocator keep pages, so memory varies by some ten MB. A leak of 2 KB a request would add 370 MB over the
 * whole run.
 */
const memoryGrowthMax = 1.3
const memoryGrowthMbMax = 50
const memoryWindow = 10_000

it(`${requests} hostile requests find no failure, no leak of data and no leak of memory`, async () => {
  tellSeed('fuzz.test.ts', { FUZZ_REQUESTS: requests })
  const opened = await openFolder('fuzz-')
  const world = await makeWorld(opened)
  // Without rate limits, so that requests are not refused early.
  const server = await startServer(opened, 'off')
  await world.makeReports(server.url)
  const victim = await world.countVictim()
  const { inspect, inspectLog } = await makeInspector(world, opened.folder)
  const memory = new MemoryWindows(
    { server: () => server.child.pid!, 'query process': () => server.queryPid() },
    requests,
    memoryWindow,
  )

  // Slow clients connect at the same time.
  const begun = Date.now()
  const over = new AbortController()
  const common = { port: server.port, seed, world, inspect }
  const trickling = trickle({ ...common, signal: over.signal })
  const stalling = stall({ ...common, signal: over.signal })
  const findings = await sendRequests({
    ...common,
    from: 0,
    to: requests,
    endAt: begun + minutesMax * 60_000,
    onProgress(sent) {
      memory.sample(sent)
      if (sent % 10_000 === 0) say(`${sent} requests, ${Math.round((Date.now() - begun) / 1_000)} s`)
    },
  })
  over.abort()
  const trickled = await trickling
  say(`byte by byte: ${trickled.answered} requests`)
  for (const { name, firstMb, lastMb } of memory.growth)
    say(`memory of the ${name}: ${firstMb} MB during the first requests, ${lastMb} MB during the last`)
  reportFindings(findings, begun)
  expect(findings.sent, 'ran out of time: set FUZZ_MINUTES').toBe(requests)
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
    await expectAnswer(server, world)
    slowestMs = Math.max(slowestMs, performance.now() - asked)
  }
  say(`slowest answer beside ${count} idle connections: ${Math.round(slowestMs)} ms`)
  expect(idle.filter((socket) => socket.readyState === 'open').length).toBe(count)
  await vi.waitFor(() => expect(idle.every(({ closed }) => closed)).toBe(true), { timeout: 120_000, interval: 500 })
  await expectAnswer(server, world)
  await stopServer(server)
  expect(inspectLog(server.output.stderr).slice(0, 10)).toEqual([])
  expect(await world.countVictim()).toEqual(victim)
})
