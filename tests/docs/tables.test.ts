import { describe, expect, it } from 'vitest'
import { asynchronousLimits, commonLimits, synchronousLimits } from '../../src/catalog/limits.ts'
import { rateRules } from '../../src/access/rate-rules.ts'
import { problems } from '../../src/contract/problems.ts'
import { readPage } from './blocks.ts'
import { cellsOf, tablesOf } from './tables.ts'

describe.each(Object.entries(tablesOf))('%s', (page, tables) => {
  it.each(tables().map((table) => [table.heading, table] as const))(
    'has the table "%s" as the code has it; `npm run docs:tables` writes it',
    (_, { columns, rows }) => {
      const cells = cellsOf(readPage(page))
      for (const row of [columns, ...rows]) expect(cells).toContainEqual(row)
    },
  )
})

it('docs/errors.md has every code with its status, and no other', () => {
  const rows = cellsOf(readPage('docs/errors.md')).filter(([code]) => code?.startsWith('`'))
  const listed = rows.map(([code = '', status]) => [code.slice(1, -1), Number(status)])
  expect(Object.fromEntries(listed)).toEqual(
    Object.fromEntries(Object.entries(problems).map(([code, { status }]) => [code, status])),
  )
  for (const row of rows)
    expect(
      row.every((cell) => cell !== ''),
      row[0],
    ).toBe(true)
})

describe('docs/querying.md', () => {
  const cells = cellsOf(readPage('docs/querying.md'))
  const count = (value: number): string => value.toLocaleString('en-US')

  it('has every rate rule', () => {
    for (const { name, windowSeconds, quota } of rateRules) {
      const row = cells.find(([rule]) => rule === `\`${name}\``)
      expect(row?.slice(2), name).toEqual([`${windowSeconds} s`, count(quota)])
    }
  })

  it('has the limits of queries', () => {
    const columns = [synchronousLimits, asynchronousLimits]
    const expected = {
      'Days per query': columns.map(({ daysMax }) => count(daysMax)),
      'Dimensions per query': columns.map(({ dimensionsMax }) => count(dimensionsMax)),
      'Metrics per query': columns.map(({ metricsMax }) => count(metricsMax)),
      Rows: columns.map(({ rowsMax }) => count(rowsMax)),
      'Rows if no `limit`': columns.map(() => count(commonLimits.rowsDefault)),
    }
    for (const [name, values] of Object.entries(expected)) expect(cells).toContainEqual([name, ...values])
  })
})
