import { availableParallelism, loadavg, setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openFolder } from '../setup/serve.ts'
import { attack } from './fuzz/attacks.ts'
import { makeInspector } from './fuzz/check-answer.ts'
import { keepIdle } from './fuzz/idle-connections.ts'
import { residentMb } from './fuzz/memory.ts'
import { reportFindings, startServer, stopServer } from './fuzz/run-server.ts'
import { sendRequests } from './fuzz/send-requests.ts'
import { ignoreAnswers, stall, trickle } from './fuzz/slow-clients.ts'
import { watchLatency } from './fuzz/watch-latency.ts'
import { askerRateFactor, makeWorld } from './fuzz/world.ts'
import { say, seed, tellSeed } from './seed.ts'

/** Random requests. Those of the attacks come on top. */
const requests = Number(process.env.FUZZ_REQUESTS ?? 100_000)
const minutesMax = Number(process.env.FUZZ_MINUTES ?? 60)

const p99MsMax = 1_000
/** Load average for each core that the test makes at most. With more, the machine has other work, and all takes longer. */
const ownLoad = 2
const memoryGrowthMax = 2
/** Each takes some 20 KB of the server. */
const idle = 2_000
const warmRequests = 2_000
const quietMs = 10_000

/** Tried again once, because the load average shows bursts of other work too late. */
const retry = 1

it(`a customer is answered within ${p99MsMax} ms beside ${requests} hostile requests`, { retry }, async () => {
  tellSeed('hostile.test.ts', { FUZZ_REQUESTS: requests })
  const opened = await openFolder('hostile-')
  const world = await makeWorld(opened)
  const server = await startServer(opened, 'on')
  const serverMb = () => residentMb([server.child.pid!])[0] ?? NaN
  await world.makeReports(server.url)
  const victim = await world.countVictim()
  const { inspect, inspectLog } = await makeInspector(world, opened.folder)
  const watch = watchLatency({ port: server.port, world })
  // The attackers would have machines of their own, so they get what the server leaves them of this one.
  setPriority(10)

  const over = new AbortController()
  const endAt = Date.now() + minutesMax * 60_000
  const common = { port: server.port, seed, world, inspect, signal: over.signal, endAt }
  await sendRequests({ ...common, from: requests, to: requests + warmRequests })
  await delay(quietMs)
  await watch.take()
  const warmMb = serverMb()
  const begun = Date.now()
  let highestMb = 0
  let slowness = 1
  const measuring = setInterval(() => {
    highestMb = Math.max(highestMb, serverMb())
    slowness = Math.max(slowness, (loadavg()[0] ?? 0) / availableParallelism() / ownLoad)
  }, 250)
  const others = [
    attack(common),
    trickle(common),
    stall(common),
    ignoreAnswers(common),
    keepIdle(common, idle),
  ] as const
  const findings = await sendRequests({ ...common, from: 0, to: requests })
  const windows = Math.ceil((Date.now() - begun) / 60_000)
  over.abort()
  const [attacked, trickled, stalled] = await Promise.all(others)
  clearInterval(measuring)
  const watches = await watch.take()

  say(`attacks: ${attacked.sent} requests`)
  say([...attacked.statuses].map(([status, count]) => `${status} x ${count}`).join(', '))
  for (const { name, ms } of watches) say(`${name}: ${describe(ms)}`)
  say(`other work of the machine makes all take ${slowness.toFixed(1)} times as long`)
  say(`memory of the server: ${Math.round(warmMb)} MB idle, ${Math.round(highestMb)} MB at most`)
  reportFindings(findings, begun)
  expect([...attacked.faults, ...trickled.faults, ...stalled]).toEqual([])
  for (const { name, ms, faults } of watches) {
    expect(faults.slice(0, 10), name).toEqual([])
    expect(percentile(ms, 0.99), name).toBeLessThanOrEqual(p99MsMax * slowness)
  }
  expect(highestMb).toBeLessThan(memoryGrowthMax * warmMb)
  expect(findings.sent, 'ran out of time: set FUZZ_MINUTES').toBe(requests)
  // No spelling of a request returns more answers to an account than its quota.
  expect(findings.rowAnswers).toBeLessThanOrEqual(5 * askerRateFactor * (windows + 1))
  await stopServer(server)
  expect(inspectLog(server.output.stderr).slice(0, 10)).toEqual([])
  expect(await world.countVictim()).toEqual(victim)
})

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? NaN

const describe = (ms: readonly number[]): string =>
  `${ms.length} answers, ` +
  [0.5, 0.99, 1].map((share) => `p${share * 100} ${Math.round(percentile(ms, share))} ms`).join(', ')
