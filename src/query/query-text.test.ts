import { expect, it } from 'vitest'
import { cubes } from '../catalog/cubes.ts'
import type { Query } from './query.ts'
import { readQuery, writeQuery } from './query-text.ts'

it('a query that was written is read as it was, with the very fields of the catalog', () => {
  for (const cube of cubes) {
    const query: Query = {
      cube,
      start: '2026-11-01',
      end: '2026-11-14',
      dimensions: cube.dimensions,
      metrics: cube.metrics,
      filters: [
        { dimension: cube.dimensions[1]!, operator: '=', values: ['"name"', '\ud800', ''] },
        { dimension: cube.dimensions[2]!, operator: 'not in', values: ['a,b', 'ä'] },
      ],
      sorts: [...cube.metrics, ...cube.dimensions].map((field) => ({ field, direction: 'desc' })),
      limit: 7,
    }
    const read = readQuery(writeQuery(query))
    expect(read).toEqual(query)
    const fields = (each: Query): unknown[] => [
      each.cube,
      ...each.dimensions,
      ...each.metrics,
      ...each.filters.map(({ dimension }) => dimension),
      ...each.sorts.map(({ field }) => field),
    ]
    fields(read).forEach((field, index) => expect(field).toBe(fields(query)[index]))
  }
})

it.each([{ cube: 'nothing' }, { dimensions: ['Nothing'] }, { sorts: [{ field: 'Nothing' }] }])(
  'a text that names what is not in the catalog is no query: %j',
  (unknown) => {
    const written = { cube: 'auctions', dimensions: [], metrics: [], filters: [], sorts: [] }
    expect(readQuery(JSON.stringify(written))).toMatchObject({ dimensions: [], metrics: [] })
    expect(() => readQuery(JSON.stringify({ ...written, ...unknown }))).toThrow('not in the catalog')
  },
)
