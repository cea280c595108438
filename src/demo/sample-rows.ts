import type { Cube } from '../catalog/cube.ts'
import { demoPublishers } from './publishers.ts'
import { sampleDay, sampleHeader } from './sample-facts.ts'

/** A row as the tests ask it. */
export type Row = {
  readonly text: (column: string) => string
  readonly number: (column: string) => number
  readonly devices: readonly string[]
}

/** A weekend, a holiday, a quiet month, a summer day and a Monday. */
export const days = ['2025-10-18', '2025-12-24', '2026-02-28', '2026-07-04', '2026-11-16']

export function rowsOf(cube: Cube, day: string): readonly Row[] {
  const columns = new Map(
    sampleHeader(cube)
      .trimEnd()
      .split(',')
      .map((column, index) => [column, index]),
  )
  const lines = demoPublishers.flatMap((publisher) => sampleDay(cube, publisher, day).trimEnd().split('\n'))
  return lines.map((line) => {
    const fields = line.split(',')
    const text = (column: string): string => fields[columns.get(column) ?? Number.NaN]!
    return { text, number: (column) => Number(text(column)), devices: text('devices').split(';') }
  })
}

export const sampleOf = (cube: Cube): readonly Row[] => days.flatMap((day) => rowsOf(cube, day))

/** The rows that break a rule, few enough to read. */
export const breaking = (rows: readonly Row[], holds: (row: Row) => boolean): readonly string[] =>
  rows
    .filter((row) => !holds(row))
    .slice(0, 3)
    .map((row) => JSON.stringify([row.text('account'), row.text('day'), row.devices]))

export const ascending = (row: Row, columns: string): boolean =>
  columns.split(' ').every((column, index, all) => index === 0 || row.number(all[index - 1]!) <= row.number(column))

export const sum = (rows: readonly Row[], column: string): number =>
  rows.reduce((total, row) => total + row.number(column), 0)
