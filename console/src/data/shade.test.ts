import { expect, test } from 'vitest'
import { shadeOf } from './shade.ts'

const percentOf = (rows: number | null | undefined, rowsMax: number) =>
  /([\d.]+)%/.exec(String(shadeOf(rows, rowsMax)?.background))?.[1]

test('a day is darker the more rows it has', () => {
  expect([0, 50, 100].map((rows) => percentOf(rows, 100))).toEqual(['10', '35', '60'])
})

test('a loaded day is never blank, and a day that is not loaded always', () => {
  expect(percentOf(null, 100)).toBe('10')
  expect(percentOf(0, 0)).toBe('10')
  expect(shadeOf(undefined, 100)).toBeUndefined()
})
