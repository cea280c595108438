import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import type { Cube } from '../../src/catalog/cube.ts'
import { loadFacts, type LoadOptions, type Loaded } from '../../src/ingest/load-facts.ts'
import { addDays } from '../../src/query/day.ts'
import { toCsv, type Fact } from './fact-files.ts'
import { now, type Service } from './service.ts'

/** Values of dimensions, most of them dangerous if put into SQL, CSV or JSON unescaped. */
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

/** Makes reproducible facts up to the tests' today, with few values a dimension, so that groups have several facts. */
export function makeFacts(cube: Cube, { count, days, seed }: { count: number; days: number; seed: number }): Fact[] {
  const value = fc.constantFrom(...dimensionValues)
  // Few enough to be in rollups.
  const oneOfFew = fc.constantFrom(...dimensionValues.slice(0, 6))
  const fact = fc.record({
    day: fc.nat(days - 1).map((back) => addDays(new Date(now).toISOString().slice(0, 10), -back)),
    dimensions: fc.record(
      Object.fromEntries(
        cube.dimensions
          .filter(({ type }) => type !== 'date')
          .map(({ name }) => [name, ['Country', 'OS'].includes(name) ? oneOfFew : value]),
      ),
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

/** Loads facts for an account, as `adcube load` does. */
export const loadTestFacts = (service: Service, cube: Cube, account: string, facts: readonly Fact[]): Promise<Loaded> =>
  loadTestFile(service, cube, 'facts.csv', toCsv(cube, account, facts))

/** Loads a file with this name and content. */
export async function loadTestFile(
  service: Service,
  cube: Cube,
  name: string,
  content: string | Uint8Array,
  options: LoadOptions = {},
): Promise<Loaded> {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-file-'))
  try {
    await writeFile(join(folder, name), content)
    return await loadFacts({ ...service, now: () => now }, cube, [join(folder, name)], options)
  } finally {
    await rm(folder, { recursive: true })
  }
}
