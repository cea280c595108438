import { expect, test } from 'vitest'
import { auctions } from '../../../src/catalog/auctions.ts'
import { searchFields } from './search-fields.ts'

const search = (text: string) => searchFields(auctions.dimensions, text).map(({ name }) => name)

test('names come before descriptions, and their beginnings first of all', () => {
  expect(search('app n')[0]).toBe('App Name')
  expect(search('os').slice(0, 2)).toEqual(['OS', 'OS Version'])
  expect(search('publisher')).toEqual(['Publisher', 'Publisher Id'])
})

test('descriptions are searched by word, in any order', () => {
  expect(search('advertiser domain')).toEqual(['Adomain'])
  expect(search('nothing like it')).toEqual([])
  expect(search('')).toHaveLength(auctions.dimensions.length)
})
