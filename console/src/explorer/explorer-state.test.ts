import { expect, test } from 'vitest'
import { auctions } from '../../../src/catalog/auctions.ts'
import { defaultDraft } from '../query/default-draft.ts'
import { describeMissing } from './describe-missing.ts'
import { readState, writeState } from './explorer-state.ts'
import { describePlace } from './describe-place.ts'

const defaults = defaultDraft(auctions)

test('the state of the page comes back from its address', () => {
  const state = { draft: { ...defaults, limit: 5 }, compares: true, charted: 'eCPM' }
  expect(readState(writeState(state), defaults)).toEqual(state)
})

test('the chart shows the first metric unless the address names another one of the query', () => {
  expect(readState('', defaults)).toEqual({ draft: defaults, compares: false, charted: 'Auctions' })
  expect(readState('chart=Clicks', defaults).charted).toBe('Auctions')
  for (const charted of ['Auctions', 'Clicks']) {
    expect(writeState({ draft: defaults, compares: false, charted })).not.toContain('chart')
  }
})

test('days that are not loaded are counted', () => {
  const loaded = ['2026-11-01', '2026-11-02', '2026-11-04', '2026-11-05']
  const range = { start: '2026-11-04', end: '2026-11-06' }
  expect(describeMissing(loaded, { start: '2026-11-01', end: '2026-11-02' }, undefined)).toBeUndefined()
  expect(describeMissing(loaded, range, undefined)).toBe('1 of these 3 days is not loaded.')
  expect(describeMissing([], range, { start: '2026-11-01', end: '2026-11-03' })).toBe(
    '3 of these 3 days are not loaded; 3 of the 3 days before are not loaded.',
  )
})

test.each([
  ['#/metrics', 'Metrics'],
  ['#/metrics/0', 'Metrics 1'],
  ['#/filters/1/values/0', 'Filter 2, values 1'],
  ['#/sort/0', 'Sort entry 1'],
  ['#/end', 'End'],
  ['cube', 'Cube'],
])('%s is called %s', (pointer, place) => {
  expect(describePlace(pointer)).toBe(place)
})
