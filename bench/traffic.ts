import type { Asked } from './rates.ts'
import { accounts, type Data } from './data.ts'

const repeatedShare = 0.5
/** Typical queries of tables and charts, mostly with one dimension. */
const often = ['', '', 'Day', 'Day', 'Day', 'Country', 'Country', 'Day,Country', 'App Name', 'Bidder Name']
const shown = [...often, 'OS,Country', 'App Name,Device']
const metrics = ['Auctions', 'Auctions Won', 'Cleared', 'Clicks', 'Net Revenue', 'eCPM', 'CTR', 'Clear Rate']
const lengths = [1, 2, 7, 7, 14, 14]
const limits = [10, 100, 500, 1_000]

/** Returns a fixed list of queries of all accounts, half of them repeated. Larger accounts come more often. */
export function* makeTraffic({ keys, days }: Data, url: string): Generator<Asked, never> {
  let seed = 1
  const random = (): number => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const known = new Map<string, Asked>()
  for (;;) {
    if (known.size > 0 && random() < repeatedShare) {
      yield pick([...known.values()])
      continue
    }
    // Distributed like the facts: a third belongs to the first account, a sixth to the second.
    const place = Math.floor((1 - random() * (1 - (accounts.length + 1) ** -0.5)) ** -2) - 1
    const key = keys[accounts[place]!]!
    const first = Math.floor(random() * metrics.length)
    const asked = metrics.slice(first, first + 1 + Math.floor(4 * random()))
    const last = days.length - 1 - Math.floor(3 * random())
    const range = { start: days[Math.max(0, last + 1 - pick(lengths))]!, end: days[last]!, limit: pick(limits) }
    const sort = [{ field: asked[0]!, order: 'desc' as const }]
    const body = { ...range, dimensions: pick(shown).split(',').filter(Boolean), metrics: asked, sort }
    const text = JSON.stringify([key, body])
    if (known.has(text)) continue
    known.set(text, { url, key, body })
    yield { url, key, body }
  }
}

export const take = (traffic: Iterator<Asked, never>, count: number): readonly Asked[] =>
  Array.from({ length: count }, () => traffic.next().value)
