import { expect, it } from 'vitest'
import type { DraftFile } from '../facts.ts'
import { planBatches } from './merge-small-files.ts'

const file = (day: string, rows: number): DraftFile => ({ path: `/${day}-${rows}`, account: 'acme', day, rows })
const plan = (files: DraftFile[]) => planBatches(files).map((batch) => batch.map(({ day, rows }) => `${day} ${rows}`))

it('merges small files, and sends large ones as they are', () => {
  const files = [
    file('2026-11-14', 300_000),
    file('2026-11-13', 10),
    file('2026-11-14', 20),
    file('2026-11-13', 99_980),
  ]
  expect(plan(files)).toEqual([['2026-11-13 10', '2026-11-13 99980'], ['2026-11-14 300000'], ['2026-11-14 20']])
})

it('puts at most 50 days into an insert, and each day into few inserts', () => {
  const days = Array.from({ length: 120 }, (_, index) => `2026-${100 + index}`)
  const batches = planBatches([...days, ...days].map((day) => file(day, 10)))
  expect(batches.map((batch) => new Set(batch.map(({ day }) => day)).size)).toEqual([50, 50, 20])
  expect(batches.map((batch) => batch.length)).toEqual([100, 100, 40])
})

it('sends nothing for a draft without files', () => {
  expect(plan([])).toEqual([])
})
