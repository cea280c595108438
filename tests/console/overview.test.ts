import type { Page, Response } from 'playwright-core'
import { expect } from 'vitest'
import { addDays, dayOf } from '../../src/query/day.ts'
import { makeKey } from '../setup/make-key.ts'
import { askApi } from './setup/api.ts'
import { it, openWindow } from './setup/browser.ts'
import { show } from './setup/pages.ts'
import { makeAccount, makeSignedIn } from './setup/people.ts'
import { sampleServer } from './setup/servers.ts'

const accountId = 'tin-kite'
const scriptBytesMax = 350 * 1024

it('the overview shows the figures of the API for the last two weeks', async () => {
  const { url, store } = await sampleServer()
  const { page } = await openWindow({ url, cookie: (await makeSignedIn(store, accountId)).cookie })
  await page.goto('/console')

  const key = await makeKey(store, accountId, Date.now())
  const today = dayOf(Date.now())
  const query = { start: addDays(today, -14), end: addDays(today, -1), metrics: ['Net Revenue', 'Clear Rate'] }
  const [total] = await askApi(url, key, 'auctions', { ...query, dimensions: [] })
  const sort = [{ field: 'Net Revenue', order: 'desc' }]
  const apps = await askApi(url, key, 'auctions', { ...query, dimensions: ['App Name'], sort, limit: 6 })
  const twoDecimals = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const revenue = twoDecimals.format(Number(total!['Net Revenue']))
  await page.getByRole('group', { name: 'Net Revenue' }).getByText(revenue).waitFor()
  const percent = twoDecimals.format(Number(total!['Clear Rate']) * 100)
  await page.getByRole('group', { name: 'Clear Rate' }).getByText(`${percent}%`).waitFor()
  const names = page.getByRole('table').filter({ hasText: 'App Name' }).getByRole('rowheader')
  await expect.poll(() => names.allInnerTexts()).toEqual(apps.map((row) => row['App Name']))
})

it('the overview loads at most 350 KB of compressed scripts, and the chart library only for charts', async () => {
  const { url, store } = await sampleServer()
  const { page } = await openWindow({ url, cookie: (await makeSignedIn(store, accountId)).cookie })
  const listScripts = watchScripts(page)
  await show(page, { path: '/console', title: 'Overview' })
  const before = await listScripts()
  expect(before.length).toBeGreaterThan(1)
  expect(before.map(({ bytes }) => bytes > 0)).not.toContain(false)
  expect(before.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(scriptBytesMax)
  expect(before.filter(({ hasCharts }) => hasCharts)).toEqual([])

  await show(page, { path: '/console/explorer', title: 'Explorer' })
  await expect.poll(async () => (await listScripts()).some(({ hasCharts }) => hasCharts)).toBe(true)
})

it('an account without facts sees how to load some, and a Member sees whom to ask', async () => {
  const { url, store } = await sampleServer()
  const emptyId = await makeAccount(store, 'No facts')
  const administrator = await openWindow({ url, cookie: (await makeSignedIn(store, emptyId)).cookie })
  const member = await openWindow({ url, cookie: (await makeSignedIn(store, emptyId, 'member')).cookie })
  for (const path of ['/console', '/console/explorer', '/console/data/days']) {
    await administrator.page.goto(path)
    await administrator.page.getByText('npm run -s adcube -- load auctions FILE', { exact: true }).waitFor()
    await member.page.goto(path)
    await member.page.getByText('Ask the operator').waitFor()
    expect(await member.page.getByText('npm run').count()).toBe(0)
  }
})

/** Returns the compressed sizes of the scripts that a page loads, and whether ECharts is among them. */
function watchScripts(page: Page) {
  const fetched: Promise<{ url: string; bytes: number; hasCharts: boolean }>[] = []
  const read = async (response: Response) => ({
    url: response.url(),
    bytes: (await response.request().sizes()).responseBodySize,
    hasCharts: (await response.text()).includes('_echarts_instance_'),
  })
  page.on('response', (response) => {
    // Do not count cached scripts.
    if (response.request().resourceType() === 'script' && response.status() === 200) fetched.push(read(response))
  })
  return () => Promise.all(fetched)
}
