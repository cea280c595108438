import { expect, test } from 'vitest'
import { auctions } from '../../../src/catalog/auctions.ts'
import { findFields } from './find-fields.ts'

const search = (text: string): readonly string[] => findFields(auctions.metrics, text).map(({ name }) => name)

test('a search finds names and descriptions, in any case', () => {
  expect(search('ecpm')).toEqual(['eCPM'])
  expect(search('THOUSAND')).toEqual(['eCPM'])
})

test('every word must be there, in any order', () => {
  expect(search(' rate  video ')).toEqual(['Video Completion Rate'])
  expect(search('rate nonsense')).toEqual([])
})

test('an empty search finds everything', () => {
  expect(search('  ')).toHaveLength(auctions.metrics.length)
})
