import { readFile } from 'node:fs/promises'
import { expect, vi } from 'vitest'
import { addDays, dayOf } from '../../src/query/day.ts'
import { makeKey } from '../setup/make-key.ts'
import { it, openWindow } from './setup/browser.ts'
import { changeJob, poseJob } from './setup/jobs.ts'
import { makeAccount, makeSignedIn } from './setup/people.ts'
import { sampleServer } from './setup/servers.ts'
import { heading } from './setup/steps.ts'

it('a report that is started on the page is the same file as one from the API', async () => {
  const { url, store } = await sampleServer()
  const accountId = 'aurora-games'
  const key = await makeKey(store, accountId, Date.now())
  const { page } = await openWindow({ url, cookie: (await makeSignedIn(store, accountId)).cookie })
  const today = dayOf(Date.now())
  const [start, end] = [addDays(today, -20), addDays(today, -1)]
  await page.goto(
    `/console/reports/new?cube=auctions&start=${start}&end=${end}&d=Day,OS,Country&m=Auctions,eCPM&sort=Day,OS,Country`,
  )
  await page.getByRole('button', { name: 'Start the report' }).click()
  const item = page.getByRole('listitem').filter({ hasText: 'OS, Country' })
  await item.getByText('Ready').waitFor()
  const downloading = page.waitForEvent('download')
  await item.getByRole('link', { name: 'Download' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^publisher_auctions_cube_.*\.csv$/)
  const file = await readFile(await download.path(), 'utf8')

  const dimensions = ['Day', 'OS', 'Country']
  const sort = dimensions.map((field) => ({ field, order: 'asc' }))
  const body = { start, end, dimensions, metrics: ['Auctions', 'eCPM'], sort }
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v2/data/asynchronous?cube=auctions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const { job_id: jobId } = (await answer.json()) as { job_id: string }
  const findUrl = async (): Promise<string> => {
    const [job] = (await (await fetch(`${url}/v2/data/status?jobId=${jobId}`, { headers })).json()) as any
    expect(job.job_status).toBe('SUCCESS')
    return job.output_url
  }
  // An account has ten requests a minute.
  const outputUrl = await vi.waitFor(findUrl, { timeout: 30_000, interval: 1_000 })
  expect(file.split('\r\n').slice(0, -1).length).toBeGreaterThan(500)
  expect(file).toBe(await (await fetch(outputUrl)).text())
})

it('a report shows its progress, can be cancelled, and says why it failed', async () => {
  const { url, store } = await sampleServer()
  const accountId = await makeAccount(store, 'Jobs')
  const { page } = await openWindow({ url, cookie: (await makeSignedIn(store, accountId)).cookie })
  const running = await poseJob(store, accountId, {})
  await page.goto('/console/reports')
  const item = page.getByRole('listitem')
  await item.getByText('Waiting for its turn').waitFor()
  await changeJob(store, running, { startedAt: Date.now(), progress: 0.42 })
  await item.getByText('In progress: 42 %').waitFor()
  await item.getByRole('button', { name: 'Cancel' }).click()
  await item.getByText('Cancelled').waitFor()

  await changeJob(store, running, { state: 'FAILED', failureReason: 'The disk is full.' })
  await page.reload()
  await item.getByText('The disk is full.').waitFor()
  await item.getByRole('link', { name: 'Run again' }).click()
  await heading(page, 'New report').waitFor()
  await page.getByText('At most 1,000,000 rows.').waitFor()
  await page.getByText('1 of 10').waitFor()
})
