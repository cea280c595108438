import { describe, expect, it } from 'vitest'
import { auctions } from '../catalog/auctions.ts'
import { cubes } from '../catalog/cubes.ts'
import { fileColumnsOf } from '../catalog/file-columns.ts'
import { matchColumns } from './match-columns.ts'

const match = (names: readonly string[], { isOpen = false, lists = [] as readonly string[] } = {}) =>
  matchColumns(auctions, { columns: names.map((name) => ({ name, isList: lists.includes(name) })), isOpen })
const columnsOf = (names: readonly string[], options = {}) => {
  const matched = match(names, options)
  return 'columns' in matched ? matched.columns : expect.fail(matched.faults.join(' '))
}
const faultsOf = (names: readonly string[], options = {}) => {
  const matched = match(names, options)
  return 'faults' in matched ? matched.faults : expect.fail('nothing was wrong')
}

describe('the columns of a file', () => {
  it.each(cubes)('of $alias are known by the name of the column and of the catalog, in any case', (cube) => {
    for (const { column, name } of fileColumnsOf(cube)) {
      if (column === 'devices') continue
      for (const spelt of [column, name, column.toUpperCase(), name.toLowerCase()]) {
        const names = ['account', 'day'].includes(column) ? [] : ['account', 'day']
        const rest = column === 'account' ? ['day'] : column === 'day' ? ['account'] : []
        const head = [spelt, ...names, ...rest].map((each) => ({ name: each, isList: false }))
        const matched = matchColumns(cube, { columns: head, isOpen: false })
        expect(matched).toMatchObject({
          columns: expect.arrayContaining([expect.objectContaining({ column, nameInFile: spelt })]),
        })
      }
    }
  })

  it('keep their order and the names that the file has for them', () => {
    const columns = columnsOf(['net_revenue', 'DAY', 'App Name', 'Account'])
    expect(columns.map(({ column, nameInFile }) => [column, nameInFile])).toEqual([
      ['net_revenue', 'net_revenue'],
      ['day', 'DAY'],
      ['app_name', 'App Name'],
      ['account', 'Account'],
    ])
  })

  it.each([
    [['account', 'day', 'contry'], ['"contry" is no column of auctions. Did you mean "country"?']],
    [['account', 'day', 'App Nam'], ['"App Nam" is no column of auctions. Did you mean "app_name"?']],
    [['account', 'day', ' country'], ['" country" is no column of auctions. Did you mean "country"?']],
    [['account', 'day', 'weather'], ['"weather" is no column of auctions.']],
    [['account', 'day', ''], ['"" is no column of auctions.']],
    [['account', 'day', 'App Name', 'app_name'], ['"app_name" is there twice.']],
    [['account', 'day', 'device_id', 'devices'], ['Give device_id or devices, not both.']],
    [['day'], ['The column account is missing.']],
    [['account'], ['The column day is missing.']],
    [
      ['country', 'colour'],
      ['"colour" is no column of auctions.', 'The column account is missing.', 'The column day is missing.'],
    ],
  ])('%j are refused, with all that is wrong', (names, faults) => {
    expect(faultsOf(names)).toEqual(faults)
  })

  it('may be lists only where they are devices', () => {
    expect(columnsOf(['account', 'day', 'Devices'], { lists: ['Devices'] })).toMatchObject([
      {},
      {},
      { kind: 'devices', isList: true },
    ])
    expect(columnsOf(['account', 'day', 'devices'])).toMatchObject([{}, {}, { kind: 'devices', isList: false }])
    for (const name of ['country', 'auctions', 'device_id']) {
      expect(faultsOf(['account', 'day', name], { lists: [name] })).toEqual([
        `"${name}" holds lists; only devices may.`,
      ])
    }
  })
})

describe('the columns of rows that each name their own', () => {
  const isOpen = true

  it('are all that there can be, so that a row may bring what none before it had', () => {
    const all = fileColumnsOf(auctions).map(({ column }) => column)
    expect(columnsOf([], { isOpen }).map(({ column }) => column)).toEqual(
      all.filter((column) => column !== 'device_id'),
    )
    expect(columnsOf(['device_id'], { isOpen }).map(({ column }) => column)).toEqual(
      all.filter((column) => column !== 'devices'),
    )
    expect(columnsOf([], { isOpen }).find(({ column }) => column === 'devices')?.isList).toBe(true)
  })

  it('are expected under names in the style of those that were seen', () => {
    const nameOf = (seen: readonly string[], column: string) =>
      columnsOf(seen, { isOpen }).find((each) => each.column === column)?.nameInFile
    expect(nameOf(['account', 'day'], 'app_name')).toBe('app_name')
    expect(nameOf(['account', 'adunit_id'], 'app_name')).toBe('app_name')
    expect(nameOf(['account', 'Adunit ID'], 'app_name')).toBe('App Name')
    expect(nameOf(['account', 'Adunit ID'], 'net_revenue')).toBe('net_revenue')
    expect(nameOf(['account', 'Adunit ID', 'APP_NAME'], 'app_name')).toBe('APP_NAME')
  })

  it('are refused where they are wrong, like any others', () => {
    expect(faultsOf(['contry'], { isOpen })).toEqual(['"contry" is no column of auctions. Did you mean "country"?'])
  })
})
