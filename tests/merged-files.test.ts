import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { FactFolder } from '../src/facts/fact-folder.ts'
import { findVisibleLoads } from '../src/store/loads.ts'
import { loadTestFile } from './setup/facts.ts'
import { openService } from './setup/service.ts'

const service = await openService()
const day = '2026-11-14'
const root = join(inject('dataFolder'), 'facts')

it('a day with many appended loads is read from few files, with the same answer', async () => {
  const { id: account, key } = await service.createAccount('often')
  const merged = join(root, 'merged', 'auctions', `account=${account}`, `day=${day}`)
  const query = { start: day, end: day, dimensions: ['Site'], metrics: ['Auctions', 'Uniques'] }
  const ask = async () => (await service.ask(key, 'auctions', query)).body.data
  const append = (number: number) =>
    loadTestFile(
      service,
      auctions,
      'part.csv',
      `account,day,site,auctions,device_id\n${account},${day},s,${number},d${number}\n`,
      {
        mode: 'append',
      },
    )
  const loads = async () =>
    (await findVisibleLoads(service.store, { cube: auctions.name, account, start: day, end: day })).map(
      ({ load }) => load,
    )

  let sum = 0
  for (let number = 1; number <= 17; number++) {
    // As an earlier version named it: the next load replaces it.
    if (number === 17) {
      const last = (await loads()).at(-1)
      const name = (await readdir(merged)).find((each) => each.split('-')[1] === String(last)) ?? ''
      await rename(join(merged, name), join(merged, name.replace(/-[\da-f]{64}/, '-16')))
    }
    await append(number)
    sum += number
    expect(await ask()).toEqual([{ Site: 's', Auctions: sum, Uniques: number }])
  }
  const ids = await loads()
  // Names of merged files have digests of their loads and their own checksums.
  const names = (await readdir(merged)).map((name) => name.replaceAll(/-[\da-f]{64}/g, ''))
  expect(new Set(names)).toEqual(new Set([`${ids[0]}-${ids[15]}.parquet`, `${ids[0]}-${ids[7]}.parquet`]))
  // The first sixteen files are not opened any more.
  const first = new FactFolder(dirname(root)).fileOfPortion(auctions, { account, day, load: ids[0]! })
  await rm(dirname(first), { recursive: true })
  expect(await ask()).toEqual([{ Site: 's', Auctions: sum, Uniques: 17 }])

  // A load that replaces them is not mixed with them, and their merged file is removed with them.
  await loadTestFile(service, auctions, 'day.csv', `account,day,site,auctions\n${account},${day},new,5\n`)
  expect(await ask()).toEqual([{ Site: 'new', Auctions: 5, Uniques: 0 }])
  await service.facts.removePortions(
    auctions,
    ids.map((load) => ({ account, day, load })),
  )
  expect(existsSync(merged)).toBe(false)
  expect(await ask()).toEqual([{ Site: 'new', Auctions: 5, Uniques: 0 }])
})
