import { ClickHouseError } from '@clickhouse/client'
import { expect, it } from 'vitest'
import { FactsError } from '../errors.ts'
import { toFactsError } from './trouble.ts'

const clickhouse = (code: string) => new ClickHouseError({ code, type: 'ANY', message: 'whatever it says' })
const network = (code: string) => Object.assign(new Error('whatever it says'), { code })

it.each([
  ['an answer that takes too long', clickhouse('159'), 'timeout'],
  ['too many queries at once', clickhouse('202'), 'busy'],
  ['too little memory', clickhouse('241'), 'busy'],
  ['too many parts', clickhouse('252'), 'busy'],
  ['a server that shuts down', clickhouse('236'), 'away'],
  ['a statement that was killed', clickhouse('394'), 'cancelled'],
  ['a refused connection', network('ECONNREFUSED'), 'away'],
  ['an answer that breaks off', network('ECONNRESET'), 'away'],
])('%s is a trouble that callers know', (_, error, trouble) => {
  const found = toFactsError(error)
  expect(found).toBeInstanceOf(FactsError)
  expect(found).toMatchObject({ trouble, cause: error })
})

it.each([
  ['wrong SQL', clickhouse('62')],
  ['a missing file', network('ENOENT')],
  ['an error of ours', new TypeError('x is not a function')],
])('%s stays the error that it is', (_, error) => {
  expect(toFactsError(error)).toBe(error)
})
