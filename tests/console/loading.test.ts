import type { Page, Response } from 'playwright-core'
import { expect } from 'vitest'
import { it, openWindow } from './setup/browser.ts'
import { show } from './setup/pages.ts'
import { makePerson } from './setup/people.ts'
import { sampleServer } from './setup/servers.ts'

const accountId = 'tin-kite'
const scriptBytesMax = 350 * 1024

/** The scripts that a page fetches: their compressed sizes, and whether the library of charts is among them. */
function watchScripts(page: Page) {
  const fetched: Promise<{ url: string; bytes: number; hasCharts: boolean }>[] = []
  const read = async (response: Response) => ({
    url: response.url(),
    bytes: (await response.request().sizes()).responseBodySize,
    hasCharts: (await response.text()).includes('_echarts_instance_'),
  })
  page.on('response', (response) => {
    // Not what the browser has already.
    if (response.request().resourceType() === 'script' && response.status() === 200) fetched.push(read(response))
  })
  return () => Promise.all(fetched)
}

it('the overview takes at most 350 KB of compressed scripts, and charts come only where one is drawn', async () => {
  const { url, store } = await sampleServer()
  const { cookie } = await makePerson(store, accountId)
  const { page } = await openWindow({ url, cookie })
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
