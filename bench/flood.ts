/** Many heavy queries of one account at once, and beside them small queries of another account and health probes. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { startServer } from './adcube.ts'
import { query, send } from './api.ts'
import { fill, fillFlags } from './fill.ts'
import { readFlags } from './flags.ts'
import type { Flood } from './flood-child.ts'
import { findChild, watchMemory } from './processes.ts'
import { questionsAbout } from './questions.ts'
import { say } from './scratch.ts'
import { atMost, inMb, inMs, printFigures } from './table.ts'

const smallMsMax = 1_000
const probeMsMax = 100
const pauseMs = 50
/** A server that has just started runs code that is not compiled yet. */
const warmUps = 200
const queryMemoryMb = Number(process.env.ADCUBE_QUERY_MEMORY_MB ?? 2_048)

const usage = 'node bench/flood.ts: heavy queries of one account beside small ones of another'
const { queries, ...filling } = readFlags(usage, { ...fillFlags, queries: 200 })
const { dataDir, days, keys } = await fill(filling)
await using server = await startServer(dataDir)
const small = { url: server.url, key: keys.small }
const bodyOf = (wanted: string) => questionsAbout(days).find(({ name }) => name === wanted)?.body ?? {}
const light = bodyOf('Country')
for (let warmUp = 0; warmUp < warmUps; warmUp++) {
  const { text } = await query(small, 'auctions', light)
  if (text.startsWith('{"data":[]')) throw new Error('The account has no facts.')
}

const queryPid = await findChild(server.pid, 'query-child')
const memory = await watchMemory(queryPid)
const over = new AbortController()
const failures: string[] = []
/** Asks until all heavy queries are answered, and returns the slowest answer. */
async function askBeside(path: string, body?: object): Promise<number> {
  let slowest = 0
  while (!over.signal.aborted) {
    const { status, ms } = await send(small, path, body)
    slowest = Math.max(slowest, ms)
    if (status !== 200) failures.push(`${path} ${status}`)
    await delay(pauseMs)
  }
  return slowest
}

say(`${queries} heavy queries at once`)
const startedAt = performance.now()
const flood: Flood = { caller: { ...small, key: keys.big }, body: bodyOf('Creative x Country, top 1,000'), queries }
const child = fork(new URL('./flood-child.ts', import.meta.url), [JSON.stringify(flood)])
const stalls = monitorEventLoopDelay()
stalls.enable()
const beside = [askBeside('/v2/data/synchronous?cube=auctions', light), askBeside('/healthz'), askBeside('/readyz')]
const [statuses] = (await once(child, 'message')) as [number[]]
const seconds = (performance.now() - startedAt) / 1_000
over.abort()
const [smallMs = NaN, healthMs = NaN, readyMs = NaN] = await Promise.all(beside)

const tally = Object.entries(Object.groupBy(statuses, String)).map(([status, all]) => `${all?.length} x ${status}`)
const areExpected = statuses.every((status) => status === 200 || status === 503)
const isSameProcess = queryPid === (await findChild(server.pid, 'query-child'))
printFigures(`${queries} distinct heavy queries at once, answered within ${seconds.toFixed(0)} s`, [
  { name: 'statuses', value: tally.join(', '), target: 'only 200 and 503', isMet: areExpected },
  atMost('slowest small query of another account', smallMs, smallMsMax, inMs),
  atMost('slowest /healthz', healthMs, probeMsMax, inMs),
  atMost('slowest /readyz', readyMs, probeMsMax, inMs),
  { name: 'longest stall of this bench itself, for want of a processor', value: inMs(stalls.max / 1e6) },
  atMost('small queries and probes without a 200', failures.length, 0, String),
  atMost('highest memory of the query process', memory.stop().peakMb, queryMemoryMb, inMb),
  { name: 'the query process', value: isSameProcess ? 'still runs' : 'was replaced' },
])
