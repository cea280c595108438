import { describe, expect, it } from 'vitest'
import { cubes } from '../catalog/cubes.ts'
import { demoPublishers } from './publishers.ts'
import { sampleDay, sampleHeader } from './sample-facts.ts'
import { breaking, days, rowsOf, sampleOf, sum, type Row } from './sample-rows.ts'

/** For each value of a column, the values of another that appear beside it. */
function beside(rows: readonly Row[], column: string, other: string): readonly number[] {
  const found = new Map<string, Set<string>>()
  for (const row of rows) found.set(row.text(column), (found.get(row.text(column)) ?? new Set()).add(row.text(other)))
  return [...found.values()].map((values) => values.size)
}

const distinctDevices = (rows: readonly Row[]): number => new Set(rows.flatMap((row) => row.devices)).size

describe.each(cubes)('the sample data of $alias', (cube) => {
  const rows = sampleOf(cube)
  const events = cube.measures[0]!.column

  it('is the same whenever it is made, whatever was made before', () => {
    const [first, second] = demoPublishers
    const text = sampleDay(cube, first!, '2026-03-01')
    sampleDay(cube, second!, '2026-03-01')
    sampleDay(cube, first!, '2026-03-02')
    expect(sampleDay(cube, first!, '2026-03-01')).toBe(text)
    // A publisher not seen before has nothing kept from earlier calls.
    expect(sampleDay(cube, { ...first! }, '2026-03-01')).toBe(text)
  })

  it('differs from day to day and from publisher to publisher', () => {
    const texts = demoPublishers.flatMap((publisher) => days.map((day) => sampleDay(cube, publisher, day)))
    expect(new Set(texts).size).toBe(texts.length)
  })

  it('has the columns of the header on every row and needs no quoting', () => {
    const names = [
      'account',
      ...cube.dimensions.map(({ column }) => column),
      ...cube.measures.map(({ column }) => column),
      'devices',
    ]
    expect(sampleHeader(cube)).toBe(`${names.join(',')}\n`)
    const text = sampleDay(cube, demoPublishers[0]!, '2026-11-14')
    expect(text.endsWith('\n')).toBe(true)
    expect(text).toMatch(/^[ !#-~\n]*$/)
    for (const line of text.trimEnd().split('\n')) expect(line.split(',')).toHaveLength(names.length)
  })

  it('names its account and its day on every row', () => {
    for (const publisher of demoPublishers)
      for (const line of sampleDay(cube, publisher, days[0]!).trimEnd().split('\n'))
        expect(line.startsWith(`${publisher.id},${days[0]},`)).toBe(true)
  })

  it('writes counts as whole numbers and money with at most six decimals', () => {
    const forms = { count: /^\d+$/, money: /^\d+(\.\d{1,6})?$/ }
    expect(
      breaking(rows, (row) => cube.measures.every(({ column, type }) => forms[type].test(row.text(column)))),
    ).toEqual([])
  })

  it('gives every dimension more than one value', () => {
    const values = cube.dimensions.map(
      ({ column }) => new Set(rows.map((row) => row.text(column)).filter(Boolean)).size,
    )
    expect(Math.min(...values)).toBeGreaterThan(1)
  })

  it('lists one to twelve different devices on a row, about five on average, and no more than events', () => {
    expect(
      breaking(
        rows,
        ({ devices, number }) =>
          devices.length <= Math.min(12, number(events)) && new Set(devices).size === devices.length,
      ),
    ).toEqual([])
    expect(breaking(rows, ({ devices }) => devices.every((device) => /^[0-9a-f]{8}$/.test(device)))).toEqual([])
    const mean = rows.reduce((total, row) => total + row.devices.length, 0) / rows.length
    expect(mean).toBeGreaterThan(4.5)
    expect(mean).toBeLessThan(5.5)
  })

  it('sees devices again on later days, each in one app', () => {
    const week = Array.from({ length: 7 }, (_, index) => rowsOf(cube, `2026-05-0${index + 1}`))
    const daily = week.map(distinctDevices).reduce((total, devices) => total + devices, 0)
    expect(distinctDevices(week.flat())).toBeLessThan(0.75 * daily)
    const apps = new Map<string, string>()
    expect(
      breaking(week.flat(), (row) =>
        row.devices.every(
          (device) => (apps.get(device) ?? row.text('app_id')) === apps.set(device, row.text('app_id')).get(device),
        ),
      ),
    ).toEqual([])
  })

  it('keeps ad units in their app and ad groups in their order', () => {
    for (const [owned, owner] of [
      ['adunit_id', 'app_id'],
      ['adunit_id', 'adunit_format'],
      ['adgroup_id', 'order_id'],
      ['order_id', 'account'],
      ['app_id', 'account'],
      ['app_id', 'os'],
    ] as const)
      expect(Math.max(...beside(rows, owned, owner)), `${owner} of ${owned}`).toBe(1)
    expect(Math.max(...beside(rows, 'app_id', 'adunit_id'))).toBeGreaterThan(1)
  })

  it('is skewed: one country has over a quarter of the events, one publisher over half', () => {
    const share = (column: string, value: string): number =>
      sum(
        rows.filter((row) => row.text(column) === value),
        events,
      ) / sum(rows, events)
    expect(share('country', 'US')).toBeGreaterThan(0.25)
    expect(share('account', 'aurora-games')).toBeGreaterThan(0.5)
    expect(share('account', 'tin-kite')).toBeLessThan(0.2)
  })

  it('grows over a year and peaks towards its end', () => {
    const eventsOf = (day: string): number => sum(rowsOf(cube, day), events)
    // All four are Wednesdays.
    expect(eventsOf('2026-10-14')).toBeGreaterThan(1.05 * eventsOf('2025-10-15'))
    expect(eventsOf('2025-12-17')).toBeGreaterThan(1.1 * eventsOf('2026-03-18'))
  })
})

it('thirteen months of both cubes are more than a million rows', () => {
  const fortnights = Array.from({ length: 28 }, (_, index) =>
    new Date(Date.UTC(2025, 9, 14 + index * 15)).toISOString().slice(0, 10),
  )
  const rows = fortnights
    .flatMap((day) => cubes.map((cube) => rowsOf(cube, day).length))
    .reduce((total, count) => total + count, 0)
  const extrapolated = (rows / fortnights.length) * 397
  expect(extrapolated).toBeGreaterThan(1_070_000)
  expect(extrapolated).toBeLessThan(1_150_000)
})
