import type { Page } from 'playwright-core'
import { heading } from './steps.ts'

export type PageOfConsole = {
  readonly name: string
  readonly path: string
  readonly title: string
  /** Without a session. */
  readonly isPublic?: true
  /** For a person with several accounts. */
  readonly hasAccounts?: true
  /** Opens an element of the page. */
  readonly open?: (page: Page) => Promise<void>
}

/** All pages of the console. */
export const pages: readonly PageOfConsole[] = [
  { name: 'sign-in', path: '/console', title: 'Sign in', isPublic: true },
  { name: 'invitation', path: '/console/invitation#token', title: 'Accept the invitation', isPublic: true },
  { name: 'invitation-signed-in', path: '/console/invitation#token', title: 'Accept the invitation' },
  { name: 'overview', path: '/console', title: 'Overview' },
  { name: 'accounts', path: '/console', title: 'Overview', hasAccounts: true, open: clickButton('Account: ') },
  { name: 'explorer', path: '/console/explorer', title: 'Explorer' },
  { name: 'explorer-filter', path: '/console/explorer?d=Country,OS', title: 'Explorer', open: addFilter },
  { name: 'explorer-code', path: '/console/explorer', title: 'Explorer', open: clickButton('Copy as code') },
  { name: 'reports', path: '/console/reports', title: 'Reports' },
  { name: 'reports-new', path: '/console/reports/new', title: 'New report' },
  { name: 'data-days', path: '/console/data/days', title: 'Data' },
  { name: 'data-loads', path: '/console/data/loads', title: 'Data', open: clickButton('Details') },
  { name: 'data-fields', path: '/console/data/fields', title: 'Data' },
  { name: 'settings-keys', path: '/console/settings/keys', title: 'Settings' },
  { name: 'settings-keys-new', path: '/console/settings/keys', title: 'Settings', open: clickButton('Create a key') },
  { name: 'settings-people', path: '/console/settings/people', title: 'Settings' },
  { name: 'settings-audit', path: '/console/settings/audit', title: 'Settings' },
  { name: 'settings-usage', path: '/console/settings/usage', title: 'Settings' },
  { name: 'profile', path: '/console/profile', title: 'Password and sessions' },
]

/** Opens a page, and waits until it has loaded everything. */
export async function show(
  page: Page,
  { path, title, open }: Pick<PageOfConsole, 'path' | 'title' | 'open'>,
): Promise<void> {
  await page.goto(path)
  await heading(page, title).waitFor()
  await waitUntilLoaded(page)
  await open?.(page)
  await waitUntilLoaded(page)
}

const waitUntilLoaded = (page: Page): Promise<void> =>
  page.locator('.mantine-Skeleton-root, .mantine-Loader-root').first().waitFor({ state: 'detached' })

function clickButton(name: string) {
  return (page: Page): Promise<void> => page.getByRole('button', { name }).first().click()
}

async function addFilter(page: Page): Promise<void> {
  // On a phone, the query is collapsed.
  const unfold = page.getByRole('button', { name: 'Change the query' })
  if (await unfold.isVisible()) await unfold.click()
  await page.getByRole('button', { name: 'Add a filter' }).click()
  await page.getByRole('combobox', { name: 'Dimension', exact: true }).fill('Site')
  await page.getByRole('option', { name: 'Site', exact: true }).click()
  await page.getByLabel('Search values of Site').click()
  await page.getByRole('option').first().waitFor()
}
