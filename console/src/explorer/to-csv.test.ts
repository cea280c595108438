import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { toCsv } from './to-csv.ts'

test('values are written as the server sent them', () => {
  const rows = [
    { 'App Name': 'Marble, "Parade"', Auctions: 1200, eCPM: 1.25 },
    { 'App Name': '=1+1', Auctions: 0, eCPM: null },
    { 'App Name': null, Auctions: 3, eCPM: 0.1 },
  ]
  expect(toCsv({ dimensions: ['App Name'], metrics: ['Auctions', 'eCPM'], rows, previous: undefined })).toBe(
    'App Name,Auctions,eCPM\r\n"Marble, ""Parade""",1200,1.25\r\n=1+1,0,\r\n,3,0.1\r\n',
  )
})

test('the previous period has its own columns', () => {
  const rows = [
    { OS: 'iOS', Clicks: 2 },
    { OS: 'Android', Clicks: 3 },
  ]
  const previous = [{ OS: 'iOS', Clicks: 1 }, undefined]
  expect(toCsv({ dimensions: ['OS'], metrics: ['Clicks'], rows, previous })).toBe(
    'OS,Clicks,"Clicks, previous period"\r\niOS,2,1\r\nAndroid,3,\r\n',
  )
})

test('any text survives', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (names) => {
      const rows = names.map((name) => ({ Site: name, Clicks: 1 }))
      const csv = toCsv({ dimensions: ['Site'], metrics: ['Clicks'], rows, previous: undefined })
      const read: string[][] = parse(csv, { record_delimiter: '\r\n', from: 2 })
      expect(read).toEqual(names.map((name) => [name, '1']))
    }),
  )
})
