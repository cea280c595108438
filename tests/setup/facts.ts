import { Readable } from 'node:stream'
import * as fc from 'fast-check'
import type { Cube } from '../../src/catalog/cube.ts'
import { loadFacts } from '../../src/ingest/load-facts.ts'
import { addDays } from '../../src/query/day.ts'
import { toCsv } from './fact-files.ts'
import { now, type Service } from './service.ts'

/** A fact as a file would bring it: text for dimensions, numbers for measures, millionths for money. */
export type Fact = {
  readonly day: string
  readonly dimensions: Readonly<Record<string, string>>
  readonly measures: Readonly<Record<string, bigint>>
  readonly devices: readonly string[]
}

/** Values that a dimension can have, most of them a trap for somebody who puts text into SQL, CSV or JSON. */
export const dimensionValues = [
  '',
  'US',
  'us',
  'a,b',
  '"quoted"',
  "it's",
  'back\\slash',
  '50%',
  'under_score',
  'line\nbreak',
  'tab\there',
  '😀',
  'ü',
  '=1+1',
  '); DROP TABLE auctions_facts --',
]

/** Reproducible facts over the days up to the tests' today, with few values a dimension so that groups have several. */
export function makeFacts(cube: Cube, { count, days, seed }: { count: number; days: number; seed: number }): Fact[] {
  const value = fc.constantFrom(...dimensionValues)
  const fact = fc.record({
    day: fc.nat(days - 1).map((back) => addDays(new Date(now).toISOString().slice(0, 10), -back)),
    dimensions: fc.record(
      Object.fromEntries(cube.dimensions.filter(({ type }) => type !== 'date').map(({ name }) => [name, value])),
    ),
    measures: fc.record(
      Object.fromEntries(
        cube.measures.map(({ column, type }) => [
          column,
          fc.oneof(fc.constant(0n), fc.bigInt(0n, type === 'money' ? 5_000_000_000n : 5_000n)),
        ]),
      ),
    ),
    devices: fc.array(
      fc.nat(400).map((id) => `device-${id}`),
      { maxLength: 6 },
    ),
  })
  return fc.sample(fact, { numRuns: count, seed })
}

/** Loads facts for an account the way that all facts are loaded. */
export async function loadTestFacts(
  { engine, store }: Service,
  cube: Cube,
  account: string,
  facts: readonly Fact[],
): Promise<void> {
  await loadFacts({ engine, store, now: () => now }, cube, {
    name: 'test',
    stream: Readable.from([toCsv(cube, account, facts)]),
  })
}
