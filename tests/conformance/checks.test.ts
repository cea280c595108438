import { expect, inject, it } from 'vitest'
import { auctions } from '../../src/catalog/auctions.ts'
import type { Finding, Portion, Records } from '../../src/facts/facts.ts'
import { makeDraft } from '../setup/draft.ts'
import { openTestFacts } from '../setup/open-test-facts.ts'

const facts = await openTestFacts()
const signal = new AbortController().signal
const [monday, tuesday] = ['2026-11-09', '2026-11-10'] as const
const isServer = inject('clickhouse') !== undefined
/** Other tests use small load numbers in the shared store. */
let lastLoad = 800_000

/** Stores a load with one fact on Monday. */
async function add(account: string): Promise<Portion> {
  const load = ++lastLoad
  const draft = await makeDraft(auctions, load, [{ account, day: monday }])
  await facts.addLoad(draft, { signal, onProgress: () => {} })
  return { account, day: monday, load }
}

type Found = Awaited<ReturnType<Records['findLoad']>>

const nothing: Found = { mayBeStored: false, visible: [], retired: [] }
/** Returns the records without checksums: both engines store the same facts, but not the same files. */
const recorded = (portion: Portion, rows: number | null = 1) => ({
  ...portion,
  rows,
  bytes: null,
  checksum: null,
  rollup: null,
})

/** Returns the findings for a load. Each call after the first sees the next answer of the store. */
async function check(load: number, answers: readonly Found[]): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const left = [...answers]
  // Ignore the facts of other tests.
  const others: Found = { ...nothing, mayBeStored: true }
  await facts.check(
    (cube) => ({
      renew: async () => {},
      listLoads: async () => (cube === auctions ? [load] : []),
      findLoad: async (asked) => {
        if (cube !== auctions || asked !== load) return others
        return (left.length > 1 ? left.shift() : left[0]) ?? nothing
      },
      findDay: async () => ({ loads: [], retired: [] }),
    }),
    { signal, onChecked: () => {}, onFinding: (finding) => findings.push(finding) },
  )
  const place = isServer ? `load ${load}` : `facts/auctions/${load}`
  return findings.filter((finding) => finding.place.includes(place))
}

it('facts that match their record are correct, and so are facts without a record', async () => {
  const portion = await add('check-right')
  expect(await check(portion.load, [{ ...nothing, visible: [recorded(portion)] }])).toEqual([])
  expect(await check(portion.load, [{ ...nothing, visible: [recorded(portion, null)] }])).toEqual([])
})

it('facts that are recorded but not stored are missing, unless they have just been retired', async () => {
  const portion = await add('check-missing')
  const missing = { ...portion, day: tuesday }
  const visible = [recorded(portion), recorded(missing)]
  const found = await check(portion.load, [{ ...nothing, visible }])
  expect(found).toEqual([{ place: expect.stringContaining(tuesday), reason: 'is missing' }])
  const gone = { ...nothing, visible: [recorded(portion)] }
  expect(await check(portion.load, [{ ...nothing, visible }, gone])).toEqual([])
})

it('facts that are stored but not recorded are strays, unless they are being loaded, retired or visible by now', async () => {
  const portion = await add('check-stray')
  const reason = 'is a stray: it belongs to no load'
  expect(await check(portion.load, [nothing])).toMatchObject([{ reason }])
  const other = { ...nothing, visible: [recorded({ ...portion, day: tuesday })] }
  expect(await check(portion.load, [other])).toContainEqual({ place: expect.stringContaining(monday), reason })
  for (const known of [
    { ...nothing, mayBeStored: true },
    { ...nothing, retired: [portion] },
    { ...nothing, visible: [recorded(portion)] },
  ]) {
    expect(await check(portion.load, [nothing, known])).toEqual([])
  }
})

it('a rollup is stored, reported as missing and removed like its facts', async () => {
  const load = ++lastLoad
  const draft = await makeDraft(auctions, load, [{ account: 'check-rollup', day: monday }], { hasRollups: true })
  const rollup = draft.files[0]?.rollup ?? null
  await facts.addLoad(draft, { signal, onProgress: () => {} })
  const portion = { account: 'check-rollup', day: monday, load }
  expect(await check(load, [{ ...nothing, visible: [{ ...recorded(portion), rollup }] }])).toEqual([])
  expect(await check(load, [{ ...nothing, retired: [portion] }])).toEqual([])
  await facts.removePortions(auctions, [portion])
  expect(await check(load, [nothing])).toEqual([])

  const { load: other } = await add('check-no-rollup')
  const visible = [{ ...recorded({ ...portion, account: 'check-no-rollup', load: other }), rollup }]
  const place = expect.stringContaining('rollup')
  expect(await check(other, [{ ...nothing, visible }])).toEqual([{ place, reason: 'is missing' }])
})

it.runIf(isServer)('a wrong number of facts is found', async () => {
  const portion = await add('check-rows')
  const found = await check(portion.load, [{ ...nothing, visible: [recorded(portion, 2)] }])
  expect(found).toMatchObject([{ reason: 'has 1 rows instead of 2' }])
})
