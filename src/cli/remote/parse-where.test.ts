import { expect, it } from 'vitest'
import { parseWhere } from './parse-where.ts'

it.each([
  ['OS=iOS', { field: 'OS', operator: '=', value: 'iOS' }],
  ['App Name = Made in Japan = 1', { field: 'App Name', operator: '=', value: 'Made in Japan = 1' }],
  ['Country=', { field: 'Country', operator: '=', value: '' }],
  ['Site like a=b%', { field: 'Site', operator: 'like', value: 'a=b%' }],
  ['App Name LIKE Chess, a "game"%', { field: 'App Name', operator: 'like', value: 'Chess, a "game"%' }],
  ['Country in DE, FR', { field: 'Country', operator: 'in', values: ['DE', 'FR'] }],
  ['Country Not  In DE', { field: 'Country', operator: 'not in', values: ['DE'] }],
  ['Order Name in "A, B","say ""hi""",C', { field: 'Order Name', operator: 'in', values: ['A, B', 'say "hi"', 'C'] }],
])('reads %s', (text, condition) => {
  expect(parseWhere(text)).toEqual(condition)
})

it.each(['', 'Country', 'Country is DE', '=DE', 'in DE', 'Country in "DE'])('refuses %j', (text) => {
  expect(() => parseWhere(text)).toThrow(/Write FIELD=VALUE|not closed/)
})
