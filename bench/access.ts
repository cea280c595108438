/** What it costs to know who asks and how often: the processor time of verifying a key and taking its rate limits. */
import { pino } from 'pino'
import { createKey } from '../src/access/create-key.ts'
import { KeyRing } from '../src/access/key-ring.ts'
import { countInMemory } from '../src/access/rate-limiter.ts'
import { rulesFor } from '../src/access/rate-rules.ts'
import { insertAccount } from '../src/store/accounts.ts'
import { operator } from '../src/store/audit.ts'
import { openStore } from '../src/store/open-store.ts'
import { readFlags } from './flags.ts'
import { median } from './measure.ts'
import { openScratch } from './scratch.ts'
import { atMost, printFigures } from './table.ts'

const microsMax = 100
const callsABatch = 2_000
const rateFactor = 10

const { batches } = readFlags('node bench/access.ts: what keys and rate limits cost a request', { batches: 15 })
const store = await openStore({ folder: openScratch() })
await insertAccount(store, { id: 'bench', name: 'Bench', rateFactor, createdAt: 0 })
let now = Date.now()
const created = await createKey(store, { accountId: 'bench', name: 'bench', actor: operator, now })
if ('refusal' in created) throw new Error(created.refusal)
const ring = new KeyRing(store, pino({ level: 'silent' }))
const limiter = countInMemory()
const rules = rulesFor('POST', '/v2/data/synchronous')

const micros: number[] = []
for (let batch = 0; batch < batches; batch++) {
  const before = process.cpuUsage()
  for (let call = 0; call < callsABatch; call++) {
    // So much time passes that the strictest rule is always just full, and nothing is refused.
    now += 60_000 / 5 / rateFactor
    const verdict = await ring.verify(created.key, now)
    if (!('account' in verdict)) throw new Error('The key was refused.')
    if ((await limiter.take(verdict.account, rules, () => now)).refusal) throw new Error('A limit was reached.')
  }
  const { user, system } = process.cpuUsage(before)
  micros.push((user + system) / callsABatch)
}
const name = `processor time of a key and ${rules.length} rate limits`
printFigures('Access', [atMost(name, median(micros), microsMax, (value) => `${value.toFixed(1)} µs`)])
await ring.close()
await store.destroy()
