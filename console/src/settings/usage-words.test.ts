import { expect, test } from 'vitest'
import { describePath, describeWindow } from './usage-words.ts'

test.each([
  [1, 'any second'],
  [5, 'any 5 seconds'],
  [60, 'any 60 seconds'],
  [86_400, 'any 24 hours'],
])('a window of %d seconds is %s', (seconds, words) => {
  expect(describeWindow(seconds)).toBe(words)
})

test.each([
  ['*', 'GET /v2/*'],
  ['/data*', 'GET /v2/data*'],
  ['/line-items', 'GET /v2/line-items'],
])('the path %s is %s', (path, words) => {
  expect(describePath({ method: 'GET', path })).toBe(words)
})
