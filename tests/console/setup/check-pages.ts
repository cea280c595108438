import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { it, openWindow, setCookie } from './browser.ts'
import { furnish } from './furnish.ts'
import { pages, show } from './pages.ts'
import { makePerson } from './people.ts'
import { sampleServer } from './servers.ts'

/** All pages are one test: a window of its own for each would take twice as long. */
const timeout = 300_000

/** Makes a test of all pages at a size. A file has one, so that two sizes are looked at at once. */
export function checkPages(accountId: string, viewport: { readonly width: number; readonly height: number }): void {
  it('has no errors, no barriers and nothing beyond its edge, light and dark', { timeout }, async () => {
    const { url, store, dataFolder } = await sampleServer()
    await furnish(store, dataFolder, accountId)
    const { cookie } = await makePerson(store, accountId)
    const { page, problems } = await openWindow({ url, viewport })
    for (const entry of pages) {
      // The page before may be asking something at this moment, and would be refused.
      await page.goto('about:blank')
      await page.context().clearCookies()
      if (!entry.isPublic) await setCookie(page.context(), url, cookie)
      await show(page, entry)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
        expect.soft(await findBarriers(page), `${entry.name}, ${colorScheme}`).toEqual([])
      }
      expect.soft(await page.evaluate('document.documentElement.scrollWidth'), entry.name).toBe(viewport.width)
      expect.soft(problems.splice(0), entry.name).toEqual([])
    }
  })
}

type Finding = { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }

const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe-core finds on a page, if it keeps anybody from using it. */
async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const findings = await page.evaluate<Finding[]>("axe.run({ resultTypes: ['violations'] }).then((r) => r.violations)")
  const grave = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return grave.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}
