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
  ['Order Name in " A " , B ,', { field: 'Order Name', operator: 'in', values: [' A ', 'B', ''] }],
  ['Order Name in 15" banner, 6" x 9"', { field: 'Order Name', operator: 'in', values: ['15" banner', '6" x 9"'] }],
  ['Site in =1+1', { field: 'Site', operator: 'in', values: ['=1+1'] }],
  ['Site = =1+1', { field: 'Site', operator: '=', value: '=1+1' }],
  ['Site=!x', { field: 'Site', operator: '=', value: '!x' }],
  ['Site like a!=b', { field: 'Site', operator: 'like', value: 'a!=b' }],
  ['Site in a<b', { field: 'Site', operator: 'in', values: ['a<b'] }],
])('reads %s', (text, condition) => {
  expect(parseWhere(text)).toEqual(condition)
})

it.each([
  ['Country!=US', `"!=" is not an operator. Write 'Country not in US'.`],
  ['Country != "A", B', `"!=" is not an operator. Write 'Country not in """A"", B"'.`],
  ['Country<>US', `"<>" is not an operator. Write 'Country not in US'.`],
  ['Country not = US', `"not =" is not an operator. Write 'Country not in US'.`],
  ['Country==US', `"==" is not an operator. Write 'Country=US', or 'Country in =US' for a value that begins with =.`],
  [
    'Country === US',
    `"===" is not an operator. Write 'Country=US', or 'Country in =US' for a value that begins with =.`,
  ],
  ...['>', '>=', '<', '<=', '~', '=~', '!~'].map((sign) => [
    `Country${sign}US`,
    `"${sign}" is not an operator. The operators are =, like, in and not in.`,
  ]),
  ['Country not like U%', '"not like" is not an operator. The operators are =, like, in and not in.'],
  ['Country in "DE" x', 'A double quote is not closed, or not followed by a comma.'],
])('refuses %j and says what to write', (text, message) => {
  expect(() => parseWhere(text)).toThrow(message)
})

it.each(['', 'Country', 'Country is DE', '=DE', 'in DE', 'Country in "DE'])('refuses %j', (text) => {
  expect(() => parseWhere(text)).toThrow(/Write FIELD=VALUE|not closed/)
})
