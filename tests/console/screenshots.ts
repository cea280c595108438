/** Takes screenshots of every page: light, dark, and in the width of a phone. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { openStore } from '../../src/store/open-store.ts'
import { buildConsole } from './setup/build-console.ts'
import { findChromium } from './setup/find-chromium.ts'
import { fillAccount } from './setup/fill-account.ts'
import { pages, show, type PageOfConsole } from './setup/pages.ts'
import { makeSignedIn } from './setup/people.ts'
import { readStart, serveConsole } from './setup/serve-console.ts'

const usage = `npm run screenshots -- [--to FOLDER] [--only NAME] [--readme]

  --to      where they go; ./screenshots unless it is given
  --only    of the pages whose names begin so
  --readme  takes the README's pictures instead, and puts them into docs/images
`

const looks = [
  { look: 'light', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { look: 'dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  { look: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
] as const

const compared = 'cube=auctions&last=14&d=Day&m=Net+Revenue,Auctions,eCPM,CTR&compare=1'
const readmePages: readonly PageOfConsole[] = [
  { name: 'overview', path: '/console', title: 'Overview' },
  { name: 'explorer', path: `/console/explorer?${compared}`, title: 'Explorer' },
]

const accountId = 'aurora-games'
/** Days of sample data. All of them are loaded before the first screenshot. */
const days = 62

const { values: flags } = parseArgs({
  options: { to: { type: 'string' }, only: { type: 'string' }, readme: { type: 'boolean' }, help: { type: 'boolean' } },
})
if (flags.help) {
  process.stdout.write(usage)
  process.exit()
}
const executablePath = findChromium()
if (executablePath === undefined) throw new Error('Found no Chromium on the PATH or in ADCUBE_CHROMIUM.')
const folder = flags.to ?? (flags.readme ? 'docs/images' : 'screenshots')
const chosen = flags.readme ? readmePages : pages.filter(({ name }) => name.startsWith(flags.only ?? ''))

await buildConsole()
await mkdir(folder, { recursive: true })
const server = await serveConsole(days)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  const { url } = await readStart(server.folder)
  const store = await openStore({ folder: server.dataFolder })
  await fillAccount(store, server.dataFolder, accountId)
  const { cookie } = await makeSignedIn(store, accountId)
  const { cookie: cookieOfSeveral } = await makeSignedIn(store, accountId, 'member', ['fernway-media', 'tin-kite'])
  await store.destroy()
  const chosenLooks = flags.readme ? [{ ...looks[0], viewport: { width: 1280, height: 860 } }] : looks
  for (const { look, ...options } of chosenLooks) {
    for (const entry of chosen) {
      const context = await browser.newContext({ baseURL: url, reducedMotion: 'reduce', ...options })
      const [name = '', value = ''] = (entry.hasAccounts ? cookieOfSeveral : cookie).split('=')
      if (!entry.isPublic) await context.addCookies([{ name, value, url }])
      const page = await context.newPage()
      await show(page, entry)
      if (!flags.readme) await stretch(page, options.viewport.width)
      const file = join(folder, flags.readme ? `${entry.name}.png` : `${entry.name}-${look}.png`)
      await page.screenshot({ path: file, caret: 'hide' })
      process.stdout.write(`${file}\n`)
      await context.close()
    }
  }
} finally {
  await browser.close()
  await server.stop()
}

/**
 * Makes the window as high as the page, because fixed elements such as the menu would be cut off. Elements as high as
 * the window grow with it, so this takes several steps.
 */
async function stretch(page: Page, width: number): Promise<void> {
  for (const _ of [1, 2, 3]) {
    const height = await page.evaluate<number>('document.documentElement.scrollHeight')
    await page.setViewportSize({ width, height })
  }
}
