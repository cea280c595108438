import * as fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, it } from 'vitest'
import { drawSparkline, drawTable, type Column } from './draw-table.ts'

const columns: readonly Column[] = [
  { name: 'App Name', overflow: 'cut' },
  { name: 'Video Completion Rate', isNumber: true },
]

it('puts numbers at the right and text at the left, below headings', () => {
  const rows = [
    ['Chess', '1,204'],
    ['–', '7'],
  ]
  expect(drawTable(columns, rows)).toBe(
    ['App Name  Video Completion Rate', 'Chess                     1,204', '–                             7', ''].join(
      '\n',
    ),
  )
})

it('breaks headings and cuts text to fit', () => {
  const rows = [['A game with a long name', '91.28%']]
  expect(drawTable(columns, rows, { width: 24 })).toBe(
    [
      '                   Video',
      '              Completion',
      'App Name            Rate',
      'A game with…      91.28%',
      '',
    ].join('\n'),
  )
})

it('counts a terminal without a width as 80 columns', () => {
  const rows = [['A game with a long name '.repeat(5), '91.28%']]
  expect(drawTable(columns, rows, { width: 0 })).toBe(drawTable(columns, rows, { width: 80 }))
  expect(drawTable(columns, rows, { width: 0 })).toContain('A game with a long name')
})

it('draws bars where there is room for them', () => {
  const rows = [
    ['a', '8'],
    ['b', '3'],
    ['c', '–'],
  ]
  const bars = [8, 3, null]
  const short: readonly Column[] = [{ name: 'N' }, { name: 'M', isNumber: true }]
  expect(drawTable(short, rows, { width: 14, bars })).toBe('N  M\na  8  ████████\nb  3  ███\nc  –\n')
  expect(drawTable(short, rows, { width: 13, bars })).toBe('N  M\na  8\nb  3\nc  –\n')
})

it('has escapes for colours only, and those only where there are colours', () => {
  const rows = [['\u001B[31mred\n\u202Eback', '1']]
  expect(drawTable(columns, rows, { width: 80, bars: [1] })).toMatch(/^[^\p{Cc}\u202E]+\n·\[31mred··back[^\p{Cc}]+\n$/u)
  expect(drawTable(columns, rows, { width: 80, bars: [1], hasColor: true })).toContain('\u001B[1m')
})

it('never is wider than the terminal, whatever the text', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 })
  const table = fc.array(fc.tuple(text, text, fc.constantFrom('1', '1,234,567', '99.99%')), {
    minLength: 1,
    maxLength: 4,
  })
  const kinds: readonly Column[] = [
    { name: 'Some Text', overflow: 'cut' },
    { name: 'Other Text', overflow: 'wrap' },
    { name: 'Number', isNumber: true },
  ]
  fc.assert(
    fc.property(table, fc.integer({ min: 5, max: 120 }), (rows, width) => {
      const lines = drawTable(kinds, rows, { width, bars: rows.map((_, index) => index) }).split('\n')
      expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width)
    }),
  )
})

it('draws a line of values, with a gap for a missing one', () => {
  expect(drawSparkline([0, 1, null, 7])).toBe('▁▂ █')
  expect(drawSparkline([5, 5])).toBe('▄▄')
})
