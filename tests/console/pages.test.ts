import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { it, openWindow, setCookie } from './setup/browser.ts'
import { fillAccount } from './setup/fill-account.ts'
import { pages, show } from './setup/pages.ts'
import { makeSignedIn } from './setup/people.ts'
import { sampleServer } from './setup/servers.ts'

const desk = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

/** One test for all pages, because a window for each would take twice as long. */
const timeout = 300_000

it(
  'no page has errors, accessibility faults or overflow, in light and dark, on desktop and phone',
  { timeout },
  async () => {
    const { url, store, dataFolder } = await sampleServer()
    const accountId = 'fernway-media'
    await fillAccount(store, dataFolder, accountId)
    const { cookie } = await makeSignedIn(store, accountId)
    const { cookie: cookieOfSeveral } = await makeSignedIn(store, accountId, 'member', ['aurora-games'])
    const { page, problems } = await openWindow({ url, viewport: desk })
    for (const entry of pages) {
      const { name } = entry
      // The page before may still have requests, which would be refused.
      await page.goto('about:blank')
      await page.context().clearCookies()
      if (!entry.isPublic) await setCookie(page.context(), url, entry.hasAccounts ? cookieOfSeveral : cookie)
      await page.setViewportSize(desk)
      await page.emulateMedia({ colorScheme: 'light' })
      await show(page, entry)
      expect.soft(await findBarriers(page), name).toEqual([])
      expect.soft(await widthOf(page), name).toBe(desk.width)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
      // Nothing else depends on the color scheme.
      expect.soft(await findBarriers(page, ['color-contrast', 'link-in-text-block']), `${name}, dark`).toEqual([])

      await page.setViewportSize(phone)
      // On a phone, an open element may be elsewhere.
      if (entry.open) await show(page, entry)
      expect.soft(await findBarriers(page), `${name}, on a phone`).toEqual([])
      expect.soft(await widthOf(page), `${name}, on a phone`).toBe(phone.width)
      expect.soft(problems.splice(0), name).toEqual([])
    }
  },
)

const widthOf = (page: Page): Promise<unknown> => page.evaluate('document.documentElement.scrollWidth')

type Finding = { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }

const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Lists the serious findings of axe-core on a page, for these rules or all. */
async function findBarriers(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
  const findings = await page.evaluate<Finding[]>(`axe.run(${options}).then((r) => r.violations)`)
  const grave = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return grave.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}
