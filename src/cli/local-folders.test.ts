import { expect, it } from 'vitest'
import { requireFolders } from './local-folders.ts'
import { readSettings } from './settings.ts'

it('backup refuses data that is in a database, and names the document with the steps for it', () => {
  for (const [name, url] of [
    ['ADCUBE_DATABASE_URL', 'postgres://user:password@host/adcube'],
    ['ADCUBE_CLICKHOUSE_URL', 'http://user:password@host:8123/adcube'],
  ] as const) {
    const demand = () => requireFolders(readSettings({ [name]: url }))
    expect(demand).toThrow(`${name} is set`)
    expect(demand).toThrow('docs/operations.md')
    expect(demand).not.toThrow('password')
  }
  expect(requireFolders(readSettings({ ADCUBE_DATA_DIR: '/data', ADCUBE_REPORTS: '/reports' }))).toEqual({
    folder: '/data',
    reportsFolder: '/reports',
  })
})
