import { describe, expect, it } from 'vitest'
import { auctions } from '../catalog/auctions.ts'
import { cubes } from '../catalog/cubes.ts'
import { fileColumnsOf } from './file-columns.ts'
import { matchColumns, type ColumnType } from './match-columns.ts'

const match = (names: readonly string[], types: Readonly<Record<string, ColumnType>> = {}) =>
  matchColumns(
    auctions,
    names.map((name) => ({ name, type: types[name] ?? 'text' })),
  )
const columnsOf = (names: readonly string[], types = {}) => {
  const matched = match(names, types)
  return matched.faults.length === 0 ? matched.columns : expect.fail(JSON.stringify(matched.faults))
}
const faultsOf = (names: readonly string[], types = {}) => {
  const { faults } = match(names, types)
  expect(faults).not.toEqual([])
  return faults.map(({ column, reason }) => `${column}: ${reason}`)
}

describe('the columns of a file', () => {
  it.each(cubes)('of $alias are matched by column name and catalog name, case-insensitively', (cube) => {
    for (const { column, name } of fileColumnsOf(cube)) {
      if (column === 'devices') continue
      for (const spelt of [column, name, column.toUpperCase(), name.toLowerCase()]) {
        const names = ['account', 'day'].filter((each) => each !== column)
        const matched = matchColumns(
          cube,
          [spelt, ...names].map((each) => ({ name: each, type: 'text' as const })),
        )
        expect(matched).toMatchObject({
          faults: [],
          columns: expect.arrayContaining([expect.objectContaining({ column, nameInFile: spelt })]),
        })
      }
    }
  })

  it('keep their order and their names in the file', () => {
    const columns = columnsOf(['net_revenue', 'DAY', 'App Name', 'Account'])
    expect(columns.map(({ column, nameInFile }) => [column, nameInFile])).toEqual([
      ['net_revenue', 'net_revenue'],
      ['day', 'DAY'],
      ['app_name', 'App Name'],
      ['account', 'Account'],
    ])
  })

  it.each([
    [['account', 'day', 'contry'], ['contry: unknown column of auctions. Did you mean "country"?']],
    [['account', 'day', 'App Nam'], ['App Nam: unknown column of auctions. Did you mean "app_name"?']],
    [['account', 'day', ' country'], [' country: unknown column of auctions. Did you mean "country"?']],
    [['account', 'day', 'weather'], ['weather: unknown column of auctions.']],
    [['account', 'day', ''], [': unknown column of auctions.']],
    [['account', 'day', 'App Name', 'app_name'], ['app_name: duplicate column, like "App Name"']],
    [['account', 'day', 'device_id', 'devices'], ['devices: give device_id or devices, not both']],
    [['day'], ['account: the column is missing']],
    [['account'], ['day: the column is missing']],
    [
      ['country', 'colour'],
      ['colour: unknown column of auctions.', 'account: the column is missing', 'day: the column is missing'],
    ],
  ])('%j are refused, with all that is wrong', (names, faults) => {
    expect(faultsOf(names)).toEqual(faults)
  })

  it('may be lists only for devices, and never other nested values', () => {
    expect(columnsOf(['account', 'day', 'Devices'], { Devices: 'list' }).at(-1)).toMatchObject({
      kind: 'devices',
      type: 'list',
    })
    expect(columnsOf(['account', 'day', 'devices']).at(-1)).toMatchObject({ kind: 'devices', type: 'text' })
    for (const name of ['country', 'auctions', 'device_id']) {
      expect(faultsOf(['account', 'day', name], { [name]: 'list' })).toEqual([`${name}: holds lists; only devices may`])
    }
    expect(faultsOf(['account', 'day', 'devices'], { devices: 'nested' })).toEqual(['devices: holds nested values'])
  })
})
