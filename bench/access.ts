/**
 * What it costs to know who asks and how often they have: the CPU time of verifying a key and of asking all its rate
 * limits, and beside it that of a whole request, so that the one can be seen against the other. No engine is needed.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import { operator } from '../src/store/audit.ts'
import { createKey } from '../src/access/create-key.ts'
import { KeyRing } from '../src/access/key-ring.ts'
import { countInMemory } from '../src/access/rate-limiter.ts'
import { rulesFor } from '../src/access/rate-rules.ts'
import { EngineError } from '../src/engine/errors.ts'
import { buildApp } from '../src/http/app.ts'
import { insertAccount } from '../src/store/accounts.ts'
import { openBenchReports } from './reports.ts'
import { openStore } from '../src/store/open-store.ts'

const targetMicros = 100
const batch = 2_000
const batches = 15

/** The median over batches of the CPU time of one call, in microseconds, all threads of the process counted. */
async function cpuMicros(call: () => Promise<unknown>): Promise<number> {
  const samples: number[] = []
  for (let index = 0; index < batches; index++) {
    const before = process.cpuUsage()
    for (let count = 0; count < batch; count++) await call()
    const { user, system } = process.cpuUsage(before)
    samples.push((user + system) / batch)
  }
  return samples.toSorted((a, b) => a - b)[Math.floor(batches / 2)] ?? NaN
}

const log = pino({ level: 'silent' })
const folder = await mkdtemp(join(tmpdir(), 'adcube-bench-access-'))
const store = await openStore({ folder })
const rateFactor = 10
await insertAccount(store, { id: 'bench', name: 'Bench', rateFactor, createdAt: 0 })
const created = await createKey(store, { accountId: 'bench', name: 'bench', actor: operator, now: Date.now() })
if ('refusal' in created) throw new Error(created.refusal)
const { key } = created

// So much time passes between requests that the strictest rule is always just full, and nothing is refused.
let now = Date.now()
const tick = (): number => (now += 60_000 / 5 / rateFactor)

const ring = new KeyRing(store, log)
const limiter = countInMemory()
const guard = async (): Promise<void> => {
  const verdict = await ring.verify(key, now)
  if (!('account' in verdict)) throw new Error('the key was refused')
  const rules = rulesFor('POST', '/v2/data/synchronous')
  const { refusal } = await limiter.take(verdict.account, rules, tick())
  if (refusal) throw new Error('a limit was reached')
}
const away = (): never => {
  throw new EngineError('away')
}
const engine = { database: 'adcube', pid: undefined, reader: away, writer: away, close: async () => {} }
const app = buildApp({
  engine,
  store,
  log,
  now: () => tick(),
  readLimits: { secondsMax: 1, threadsMax: 1, memoryBytesMax: 2 ** 30 },
  rateLimiter: countInMemory(),
  ...(await openBenchReports(join(folder, 'reports'), { engine, store, log })),
})
const request = async (url: string): Promise<void> => {
  await app.inject({ method: 'GET', url, headers: { 'x-api-key': key } })
  // As a server does between requests; timers would never run in a loop that injects alone.
  await nextTurn()
}

process.stderr.write(`${batches} batches of ${batch} calls each\n`)
// The first batches are compiled while they run; the median leaves them out.
const alone = await cpuMicros(guard)
const guarded = await cpuMicros(() => request('/v2/nothing'))
const open = await cpuMicros(() => request('/nothing'))
const show = (micros: number): string => `${micros.toFixed(1).padStart(8)} µs`
process.stdout.write(
  [
    `key and three limits, called directly           ${show(alone)}`,
    `a request that nobody guards (404)              ${show(open)}`,
    `the same behind key and limits (404)            ${show(guarded)}`,
    `what the guard adds to it, headers included     ${show(guarded - open)}`,
    `target: below ${targetMicros} µs: ${Math.max(alone, guarded - open) < targetMicros ? 'met' : 'MISSED'}`,
    '',
  ].join('\n'),
)
await ring.close()
await app.close()
await store.destroy()
await rm(folder, { recursive: true })
