import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { addDays, dayOf } from '../../src/query/day.ts'
import { endSessionsOf } from '../../src/access/sessions.ts'
import { makeKey } from '../setup/make-key.ts'
import { askApi, type Row } from './setup/api.ts'
import { it, openWindow, refusal } from './setup/browser.ts'
import { loadCsv } from './setup/load.ts'
import { makeSignedIn } from './setup/people.ts'
import { sampleServer } from './setup/servers.ts'
import { heading, hostileName, signIn } from './setup/steps.ts'

const today = dayOf(Date.now())
const range = { start: addDays(today, -7), end: addDays(today, -1) }

async function openExplorer(search = '', accountId = 'aurora-games') {
  const { url, store } = await sampleServer()
  const person = await makeSignedIn(store, accountId)
  const opened = await openWindow({ url, cookie: person.cookie })
  await opened.page.goto(`/console/explorer${search}`)
  await heading(opened.page, 'Explorer').waitFor()
  return { ...opened, person, store, url }
}

const table = (page: Page): Locator => page.getByRole('region', { name: 'Rows' })
const rowsOf = (page: Page): Locator => table(page).locator('tbody tr')
const firstColumn = (page: Page): Promise<string[]> => rowsOf(page).locator('td:first-child').allInnerTexts()

describe('the explorer', () => {
  it('shows the answer of the API to the chosen query as table, chart and file', async () => {
    const { page, url, store } = await openExplorer()
    await page.getByRole('button', { name: /^Days/ }).click()
    await page.getByRole('button', { name: 'Last 7 days' }).click()
    await chooseFields(page, 'Dimensions', ['Country'])
    await chooseFields(page, 'Metrics', ['Net Revenue', 'CTR'])
    await page.getByRole('button', { name: 'Add a filter' }).click()
    const form = page.getByRole('form', { name: 'New filter' })
    await form.getByRole('combobox', { name: 'Dimension' }).fill('OS')
    await page.getByRole('option', { name: 'OS', exact: true }).click()
    await form.getByLabel('Search values of OS').click()
    await page.getByRole('option', { name: 'Android' }).click()
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.getByLabel('Maximum rows').fill('6')
    await page.getByLabel('Maximum rows').press('Enter')

    const key = await makeKey(store, 'aurora-games', Date.now())
    const filters = [{ field: 'OS', operator: 'in', values: ['Android'] }]
    const query = { ...range, dimensions: ['Country'], metrics: ['Net Revenue', 'CTR'], filters }
    const sorted = { ...query, sort: [{ field: 'Net Revenue', order: 'desc' }], limit: 6 }
    const answer = await askApi(url, key, 'auctions', sorted)
    const totals = await askApi(url, key, 'auctions', { ...query, dimensions: [] })
    await expectTable(page, answer)
    const totalCells = await table(page).getByRole('row', { name: 'Total' }).getByRole('cell').allInnerTexts()
    expectNumbers(totalCells, totals[0]!)

    const chart = page.getByRole('img', { name: 'Bar chart of Net Revenue' })
    for (const row of answer) {
      const country = String(row['Country'])
      const tooltip = chart.locator('div:has(> svg) + div')
      // The bars may still move.
      const pointedAt = async () => {
        await pointAt(page, chart, country)
        return tooltip.innerText()
      }
      await expect.poll(pointedAt).toMatch(new RegExp(`^${country}\\b`))
      const shown = await tooltip.locator('span').allInnerTexts()
      expectNumbers(shown.slice(-1), row)
    }

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const file = await readFile(await (await downloading).path(), 'utf8')
    const lines = answer.map((row) => [row['Country'], row['Net Revenue'], row['CTR']].join(','))
    expect(file).toBe(['Country,Net Revenue,CTR', ...lines, ''].join('\r\n'))

    // The address has the whole state.
    await page.reload()
    await expectTable(page, answer)
  })

  it('shows that a session has ended, and returns to the same query after signing in', async () => {
    const { page, problems, person, store } = await openExplorer('?cube=auctions&last=7&d=Country&m=Auctions&limit=5')
    await rowsOf(page).nth(4).waitFor()
    const countries = await firstColumn(page)
    await endSessionsOf(store, person.id)
    await table(page).getByRole('button', { name: 'Country' }).click()
    await page.getByText('Your session has ended').waitFor()
    const address = page.url()
    expect(address).toContain('sort=Country')
    await signIn(page, person)
    await rowsOf(page).nth(4).waitFor()
    expect(page.url()).toBe(address)
    expect(await firstColumn(page)).toEqual((await firstColumn(page)).toSorted())
    expect(await firstColumn(page)).not.toEqual(countries)
    expect(new Set(problems.splice(0))).toEqual(new Set([refusal(401, '/console/api/query')]))
  })

  it('shows how long a slow query has been running, and can cancel it', async () => {
    const { page } = await openExplorer('?cube=auctions&last=7&d=Country&m=Auctions&limit=5')
    await rowsOf(page).nth(4).waitFor()
    // This request gets no answer.
    await page.route('**/console/api/query*', () => {})
    const stopped = page.waitForEvent('requestfailed')
    await table(page).getByRole('button', { name: 'Country' }).click()
    await page.getByText(/Running the query: \d+ s/).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('The query was cancelled').waitFor()
    expect((await stopped).failure()?.errorText).toBe('net::ERR_ABORTED')
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Run it again' }).click()
    await rowsOf(page).nth(4).waitFor()
  })

  it('offers a report with the same query if the rows are truncated', async () => {
    const query = 'cube=platform-performance&last=7&d=Country,OS,Adgroup+Type&m=Fills'
    const { page } = await openExplorer(`?${query}`)
    await page.getByText('This query needs a report').waitFor()
    await page.getByRole('link', { name: 'Run it as a report' }).click()
    await heading(page, 'New report').waitFor()
    expect(page.url()).toContain(`/console/reports/new?${query}`)
    await page.getByText('Country, OS, Adgroup Type').waitFor()
    expect(await page.getByRole('button', { name: 'Start the report' }).isEnabled()).toBe(true)
  })

  it('shows app names with markup as text: in the table, the chart, its tooltip and the suggestions', async () => {
    const account = `hostile-${process.pid}`
    const name = `"${hostileName.replaceAll('"', '""')}"`
    const lines = [-1, -2].map((back) => `${account},${addDays(today, back)},${name},${name},9`)
    await loadCsv((await sampleServer()).dataFolder, 'auctions', [
      'account,day,app_name,bidder_name,auctions',
      ...lines,
    ])
    const { page } = await openExplorer('?cube=auctions&last=7&d=App+Name,Bidder+Name&m=Auctions', account)
    await rowsOf(page).getByRole('cell', { name: hostileName }).first().waitFor()
    const chart = page.getByRole('img', { name: 'Bar chart of Auctions' })
    const tooltip = await pointAt(page, chart, '<img')
    await expect.poll(() => tooltip.innerText()).toContain(hostileName)
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByRole('combobox', { name: 'Dimension', exact: true }).fill('App Name')
    await page.getByRole('option', { name: 'App Name', exact: true }).click()
    await page.getByLabel('Search values of App Name').click()
    await page.getByRole('option', { name: hostileName }).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText(hostileName).first().waitFor()
    expect(await page.locator('img[src=x]').count()).toBe(0)
  })
})

/** Replaces the chosen fields. */
async function chooseFields(page: Page, label: string, names: readonly string[]): Promise<void> {
  const input = page.getByRole('combobox', { name: label })
  const empty = page.getByRole('combobox', { name: `${label} 0 of` })
  await input.click()
  while ((await empty.count()) === 0) await input.press('Backspace')
  for (const name of names) {
    await input.fill(name)
    await page
      .getByRole('option', { name: new RegExp(`^${name}\\b`) })
      .first()
      .click()
  }
  await input.press('Escape')
}

/** Moves the mouse to the bar beside a label of the axis, and returns the tooltip. */
async function pointAt(page: Page, chart: Locator, label: string): Promise<Locator> {
  const name = chart.locator('svg text').getByText(label).first()
  await name.waitFor()
  const text = await name.boundingBox()
  const box = await chart.boundingBox()
  await page.mouse.move(box!.x + box!.width / 2, text!.y + text!.height / 2)
  return chart.locator('div:has(> svg) + div')
}

/** Waits until the table shows these rows. Numbers are compared with the precision of the table. */
async function expectTable(page: Page, rows: readonly Row[]): Promise<void> {
  await expect.poll(() => firstColumn(page)).toEqual(rows.map(({ Country }) => Country))
  for (const [index, row] of rows.entries()) {
    expectNumbers((await rowsOf(page).nth(index).getByRole('cell').allInnerTexts()).slice(1), row)
  }
}

/** Compares a text such as "1,234.50" or "1.20%" with a number of the API. */
function expectNumbers([revenue = '', clickRate]: readonly string[], row: Row): void {
  expect(revenue).toMatch(/^[\d,]+\.\d\d$/)
  expectRounded(Number(revenue.replaceAll(',', '')), row['Net Revenue'])
  if (clickRate === undefined) return
  expect(clickRate).toMatch(/^\d+\.\d\d%$/)
  expectRounded(Number.parseFloat(clickRate), Number(row['CTR']) * 100)
}

/** Two decimals, with either rounding of halves. */
const expectRounded = (shown: number, value: unknown): void =>
  expect(Math.abs(shown - Number(value))).toBeLessThan(0.00501)
