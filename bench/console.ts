/** How the console feels in a browser: the overview until it is whole, and a table of 1,000 rows while it is scrolled. */
import { chromium, type Page } from 'playwright-core'
import { openStore } from '../src/store/open-store.ts'
import { buildConsole } from '../tests/console/setup/build-console.ts'
import { findChromium } from '../tests/console/setup/find-chromium.ts'
import { show } from '../tests/console/setup/pages.ts'
import { makeSignedIn } from '../tests/console/setup/people.ts'
import { readStart, serveConsole } from '../tests/console/setup/serve-console.ts'
import { readFlags } from './flags.ts'
import { median } from './measure.ts'
import { say } from './scratch.ts'
import { atMost, inMs, printFigures } from './table.ts'

const overviewMsMax = 1_000
const frameMsMax = 100
const days = 62
const thousandRows = 'cube=auctions&last=14&d=Creative+ID,Country&m=Auctions,Net+Revenue,eCPM,CTR,Clear+Rate'

const { visits } = readFlags('node bench/console.ts: the console in a browser', { visits: 9 })
const executablePath = findChromium()
if (executablePath === undefined) throw new Error('Found no Chromium on the PATH or in ADCUBE_CHROMIUM.')
await buildConsole()
say('starting a server with sample data')
const server = await serveConsole(days)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  const { url } = await readStart(server.folder)
  const store = await openStore({ folder: server.dataFolder })
  const { cookie } = await makeSignedIn(store, 'aurora-games')
  await store.destroy()
  const [name = '', value = ''] = cookie.split('=')
  const openPage = async (): Promise<Page> => {
    const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } })
    await context.addCookies([{ name, value, url }])
    const page = await context.newPage()
    // The browser starts a process for a site's first page, whatever is on it.
    await page.goto('/healthz')
    return page
  }

  say('visiting the overview')
  const first: number[] = []
  const again: number[] = []
  for (let visit = 0; visit < visits; visit++) {
    const page = await openPage()
    first.push(await visitOverview(page))
    again.push(await visitOverview(page))
    await page.context().close()
  }

  say('scrolling')
  const page = await openPage()
  await show(page, { path: `/console/explorer?${thousandRows}`, title: 'Explorer' })
  const rows = await page.locator('tbody tr').count()
  const frames = await scroll(page)

  printFigures('The console in a browser', [
    atMost('overview, nothing in the cache', median(first), overviewMsMax, inMs),
    atMost('overview, once more', median(again), overviewMsMax, inMs),
    atMost(`scrolling ${rows} rows, a frame`, median(frames), frameMsMax, inMs),
    atMost(`scrolling ${rows} rows, the longest frame`, Math.max(...frames), frameMsMax, inMs),
  ])
} finally {
  await browser.close()
  await server.stop()
}

/** Milliseconds until all figures and lists are there, and painted. */
async function visitOverview(page: Page): Promise<number> {
  const startedAt = performance.now()
  await show(page, { path: '/console', title: 'Overview' })
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  return performance.now() - startedAt
}

/** How long each frame takes while the table is scrolled from its first row to its last. */
async function scroll(page: Page): Promise<readonly number[]> {
  const table = page.getByRole('region', { name: 'Rows' })
  await table.scrollIntoViewIfNeeded()
  const box = (await table.boundingBox())!
  await page.evaluate(`{
    window.frames = []
    let last = performance.now()
    const note = (now) => {
      window.frames.push(now - last)
      last = now
      requestAnimationFrame(note)
    }
    requestAnimationFrame(note)
  }`)
  const devtools = await page.context().newCDPSession(page)
  const at = { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 200) }
  await devtools.send('Input.synthesizeScrollGesture', { ...at, yDistance: -30_000, speed: 6_000 })
  return page.evaluate('window.frames')
}
