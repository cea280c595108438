import { expect, it } from 'vitest'
import { auctions } from '../../catalog/auctions.ts'
import { cubes } from '../../catalog/cubes.ts'
import { readQuery } from './read-query.ts'

const now = Date.parse('2026-11-14T23:59:59Z')
const period = (flags: Parameters<typeof readQuery>[0]) => {
  const { start, end } = readQuery(flags, auctions, now)
  return [start, end]
}

it('asks for days that are over, if no others are named', () => {
  expect(period({})).toEqual(['2026-11-07', '2026-11-13'])
  expect(period({ last: 1 })).toEqual(['2026-11-13', '2026-11-13'])
  expect(period({ from: '2026-11-01' })).toEqual(['2026-11-01', '2026-11-14'])
  expect(period({ from: '2026-11-01', to: '2026-11-02' })).toEqual(['2026-11-01', '2026-11-02'])
})

it('takes names in any case and without spaces, and leaves unknown ones as they are', () => {
  const query = readQuery(
    {
      dimensions: ['country', 'app_name', 'Contry'],
      metrics: ['ECPM', 'net_revenue'],
      where: [{ field: 'os_version', operator: 'in', values: ['17'] }],
      sort: ['-ecpm', 'Country'],
      limit: 3,
    },
    auctions,
    now,
  )
  expect(query).toEqual({
    start: '2026-11-07',
    end: '2026-11-13',
    dimensions: ['Country', 'App Name', 'Contry'],
    metrics: ['eCPM', 'Net Revenue'],
    filters: [{ field: 'OS Version', operator: 'in', values: ['17'] }],
    sort: [
      { field: 'eCPM', order: 'desc' },
      { field: 'Country', order: 'asc' },
    ],
    limit: 3,
  })
})

it.each(['Country!', '~Country', '+Country', 'Country.', 'Country)', 'Coun-try', '(Country)'])(
  'does not ignore a character of %j',
  (name) => {
    const query = readQuery({ dimensions: [name], metrics: [name], sort: [`-${name}`] }, auctions, now)
    expect([query.dimensions, query.metrics, query.sort]).toEqual([[name], [name], [{ field: name, order: 'desc' }]])
  },
)

it.each(cubes)('means one field by each name of $alias', (cube) => {
  const names = [...cube.dimensions, ...cube.metrics].map(({ name }) => name)
  const query = readQuery({ dimensions: names.map((name) => name.replaceAll(' ', '_').toLowerCase()) }, cube, now)
  expect(query.dimensions).toEqual(names)
  const columns = names.map((name) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_'))
  expect(readQuery({ dimensions: columns }, cube, now).dimensions).toEqual(names)
})
