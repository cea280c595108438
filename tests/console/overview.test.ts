import { expect } from 'vitest'
import { addDays, dayOf } from '../../src/query/day.ts'
import { makeKey } from '../setup/make-key.ts'
import { askApi } from './setup/api.ts'
import { it, openWindow } from './setup/browser.ts'
import { makeAccount, makePerson } from './setup/people.ts'
import { sampleServer } from './setup/servers.ts'
import { heading } from './setup/steps.ts'

it('the overview shows the figures that the API answers for the last two weeks', async () => {
  const { url, store } = await sampleServer()
  const accountId = 'tin-kite'
  const { page } = await openWindow({ url, cookie: (await makePerson(store, accountId)).cookie })
  await page.goto('/console')

  const key = await makeKey(store, accountId, Date.now())
  const today = dayOf(Date.now())
  const range = { start: addDays(today, -14), end: addDays(today, -1) }
  const metrics = ['Net Revenue', 'Clear Rate']
  const [total] = await askApi(url, key, 'auctions', { ...range, dimensions: [], metrics })
  const sort = [{ field: 'Net Revenue', order: 'desc' }]
  const apps = await askApi(url, key, 'auctions', { ...range, dimensions: ['App Name'], metrics, sort, limit: 6 })
  const money = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  await page
    .getByRole('group', { name: 'Net Revenue' })
    .getByText(money.format(Number(total!['Net Revenue'])))
    .waitFor()
  const percent = money.format(Number(total!['Clear Rate']) * 100)
  await page.getByRole('group', { name: 'Clear Rate' }).getByText(`${percent}%`).waitFor()
  const names = page.getByRole('table').filter({ hasText: 'App Name' }).getByRole('rowheader')
  await expect.poll(() => names.allInnerTexts()).toEqual(apps.map((row) => row['App Name']))
})

it.each(['/console', '/console/explorer', '/console/data/days'])(
  '%s tells an account without facts how to load some, and a member whom to ask',
  async (path) => {
    const { url, store } = await sampleServer()
    const accountId = await makeAccount(store, 'No facts')
    const look = async (role: 'administrator' | 'member') => {
      const { page } = await openWindow({ url, cookie: (await makePerson(store, accountId, role)).cookie })
      await page.goto(path)
      await heading(page, path === '/console' ? 'Overview' : path.endsWith('days') ? 'Data' : 'Explorer').waitFor()
      return page.getByRole('main')
    }
    await (await look('administrator')).getByText('npm run -s adcube -- load auctions FILE', { exact: true }).waitFor()
    const member = await look('member')
    await member.getByText('Ask the operator').waitFor()
    expect(await member.getByText('npm run').count()).toBe(0)
  },
)
