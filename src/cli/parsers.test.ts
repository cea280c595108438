import { expect, it } from 'vitest'
import { cubeList, day, days, names, parsed, whole } from './parsers.ts'

it('reads names between commas, and loses none', () => {
  expect(names('Day, App Name')).toEqual(['Day', 'App Name'])
  expect(names('OS', ['Day'])).toEqual(['Day', 'OS'])
  expect(names('', ['Day'])).toEqual(['Day'])
  for (const text of ['Day,', ',Day', 'Day,,OS', 'Day, ,OS', ','])
    expect(() => names(text)).toThrow('A name is missing')
})

it.each([
  [days, ['', '0', '-1', '7 d', '7dd', '1w', '1000', '7.5', '0x7']],
  [day, ['', 'Today', '2026-2-3', '2026-02-30', '20260203', '2026-02-03T00:00', ' 2026-02-03']],
  [cubeList, ['', 'auctions,', 'auctions,,platform-performance', 'auction']],
  [parsed(whole(1, 1_000)), ['', '0', '1001', '+5', '1e2', '5.0', '1_000', '1,000', '９']],
])('refuses what is not exactly of the form: %o', (read, texts) => {
  for (const text of texts) expect(() => read(text), text).toThrow(/./)
})
