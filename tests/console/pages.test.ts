import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect } from 'vitest'
import { it, openWindow } from './setup/browser.ts'
import { furnish } from './setup/furnish.ts'
import { pages, show } from './setup/pages.ts'
import { makePerson } from './setup/people.ts'
import { sampleServer } from './setup/servers.ts'

const accountId = 'fernway-media'
const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]

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

describe('every page', () => {
  let url = ''
  let cookie = ''
  beforeAll(async () => {
    const { store, ...server } = await sampleServer()
    url = server.url
    await furnish(store, server.dataFolder, accountId)
    cookie = (await makePerson(store, accountId)).cookie
  })

  describe.each(pages)('$name', (entry) => {
    it.each(sizes)(
      'has no errors, no barriers and nothing beyond its edge at $width px, light and dark',
      async (viewport) => {
        const { page } = await openWindow({ url, viewport, cookie: entry.isPublic ? undefined : cookie })
        await show(page, entry)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
          expect(await findBarriers(page), colorScheme).toEqual([])
        }
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
      },
    )
  })
})
