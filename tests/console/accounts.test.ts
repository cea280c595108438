import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { invitePerson } from '../../src/access/people.ts'
import { operator } from '../../src/store/audit.ts'
import { makeKey } from '../setup/make-key.ts'
import { it, openWindow, refusal } from './setup/browser.ts'
import { makeAccount, makeSignedIn } from './setup/people.ts'
import { sampleServer } from './setup/servers.ts'
import { hasFocus, heading, signIn, tabTo } from './setup/steps.ts'

const switcher = (page: Page, name: string) => page.getByRole('button', { name: `Account: ${name}` })
const choice = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })

/** Creates a person with two accounts, of which the second has a key, and opens a page. */
async function openTwo(path: string) {
  const { url, store } = await sampleServer()
  const accounts = [await makeAccount(store, 'Blue Sky'), await makeAccount(store, 'Green Field')] as const
  const person = await makeSignedIn(store, accounts[0], 'administrator', [accounts[1]])
  await makeKey(store, accounts[1], Date.now())
  const opened = await openWindow({ url, cookie: person.cookie })
  await opened.page.goto(path)
  return { ...opened, url, store, person, accounts }
}

describe('a person with several accounts', () => {
  it('sees long names of accounts in the width of a phone', async () => {
    const { url, store } = await sampleServer()
    const names = ['M', 'W'].map((letter) => letter.repeat(100))
    const [first, second] = [await makeAccount(store, names[0]!), await makeAccount(store, names[1]!)]
    const { cookie } = await makeSignedIn(store, first, 'member', [second])
    const { page } = await openWindow({ url, cookie, viewport: { width: 390, height: 844 } })
    await page.goto('/console/settings/keys')
    await switcher(page, names[0]!).click()
    await choice(page, names[1]!).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    const you = await page.getByRole('button', { name: 'You' }).boundingBox()
    expect(you!.x + you!.width).toBeLessThanOrEqual(390)
  })

  it('chooses one with the keyboard, and gets back to the last one that they used', async () => {
    const { page, url, person, accounts } = await openTwo('/console/settings/keys?x=1')
    await page.getByText('0 of 10 keys').waitFor()
    expect(page.url()).toBe(`${url}/console/accounts/${accounts[0]}/settings/keys?x=1`)
    await tabTo(page, switcher(page, 'Blue Sky'))
    await page.keyboard.press('Enter')
    await choice(page, 'Blue Sky').waitFor()
    expect(await choice(page, 'Blue Sky').getAttribute('aria-current')).toBe('true')
    expect(await choice(page, 'Green Field').getAttribute('aria-current')).toBeNull()
    await page.keyboard.press('Escape')
    expect(await hasFocus(switcher(page, 'Blue Sky'))).toBe(true)
    await page.keyboard.press('Enter')
    await choice(page, 'Green Field').waitFor()
    const moveDown = async () => {
      await page.keyboard.press('ArrowDown')
      return hasFocus(choice(page, 'Green Field'))
    }
    await expect.poll(moveDown).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByText('1 of 10 keys').waitFor()
    expect(page.url()).toBe(`${url}/console/accounts/${accounts[1]}/settings/keys`)
    // A Member there.
    expect(await page.getByRole('button', { name: 'Create a key' }).count()).toBe(0)
    await page.goto('/console')
    await switcher(page, 'Green Field').waitFor()
    expect(page.url()).toBe(`${url}/console/accounts/${accounts[1]}`)

    await page.getByRole('button', { name: 'You' }).click()
    await page.getByText(person.email).waitFor()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL(`${url}/console/`)
    await signIn(page, person)
    await switcher(page, 'Green Field').waitFor()
    await page.goBack()
    await switcher(page, 'Green Field').waitFor()
  })

  it('can have each in a tab of its own, which do not mix', async () => {
    const { page, accounts, person, store } = await openTwo('/console/settings/people')
    const email = `only-second@${accounts[1]}.example`
    const invited = { accountId: accounts[1], email, role: 'member', actor: operator, now: Date.now() } as const
    await invitePerson(store, invited)
    await page.getByRole('rowheader', { name: person.email }).waitFor()
    const other = await page.context().newPage()
    await other.goto('/console/settings/people')
    await switcher(other, 'Blue Sky').click()
    await choice(other, 'Green Field').click()
    await other.getByRole('rowheader', { name: email }).waitFor()
    await switcher(other, 'Green Field').waitFor()

    // The first tab stays where it was, for changes too, also after a reload.
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByLabel('Name').fill('Of the first')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.reload()
    await page.getByRole('row', { name: 'Of the first' }).waitFor()
    await other.getByRole('link', { name: 'API keys' }).click()
    await other.getByText('1 of 10 keys').waitFor()
    expect(await other.getByText('Of the first').count()).toBe(0)
    await page.getByRole('link', { name: 'People' }).click()
    await page.getByRole('rowheader', { name: person.email }).waitFor()
    expect(await page.getByText(email).count()).toBe(0)
  })

  it('is told if an address names an account that is not theirs', async () => {
    const { page, store, accounts, problems } = await openTwo('/console')
    await switcher(page, 'Blue Sky').waitFor()
    const foreign = await makeAccount(store, 'Red Rock')
    await page.goto(`/console/accounts/${foreign}/settings/keys`)
    await heading(page, 'No access to this account').waitFor()
    expect(await page.getByText('Red Rock').count()).toBe(0)
    await page.getByRole('link', { name: 'Open your account' }).click()
    await switcher(page, 'Blue Sky').waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('0 of 10 keys').waitFor()
    // The same if they are removed while the page is open.
    await store.deleteFrom('memberships').where('accountId', '=', accounts[0]).execute()
    await page.getByRole('link', { name: 'People' }).click()
    await heading(page, 'No access to this account').waitFor()
    await page.getByRole('link', { name: 'Open your account' }).click()
    await page.getByText('Green Field').waitFor()
    expect(await page.getByRole('button', { name: /^Account/ }).count()).toBe(0)
    expect(new Set(problems.splice(0))).toEqual(
      new Set([refusal(403, '/console/api/session'), refusal(403, '/console/api/people')]),
    )
  })
})

it('a person with one account sees no menu of accounts, until they accept another invitation', async () => {
  const { url, store } = await sampleServer()
  const [first, second] = [await makeAccount(store, 'First'), await makeAccount(store, 'Second')]
  const person = await makeSignedIn(store, first)
  const { page } = await openWindow({ url, cookie: person.cookie })
  await page.goto('/console')
  await page.getByRole('banner').getByText('First', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: /^Account/ }).count()).toBe(0)
  expect(page.url()).toBe(`${url}/console`)

  const invite = { accountId: second, role: 'member', actor: operator, now: Date.now() } as const
  const invited = await invitePerson(store, { ...invite, email: person.email })
  if ('refusal' in invited) throw new Error(invited.refusal)
  await page.goto(`/console/invitation#${invited.token}`)
  await page.getByText(`You are signed in as ${person.email}.`).waitFor()
  await page.getByRole('button', { name: 'Join with this sign-in' }).click()
  await switcher(page, 'Second').waitFor()
  expect(page.url()).toBe(`${url}/console/accounts/${second}/`)
})

it('an invited person with a password joins with it, and not with another one', async () => {
  const { url, store } = await sampleServer()
  const person = await makeSignedIn(store, await makeAccount(store, 'Home'))
  const accountId = await makeAccount(store, 'Away')
  const invite = { accountId, role: 'member', actor: operator, now: Date.now() } as const
  const invited = await invitePerson(store, { ...invite, email: person.email })
  if ('refusal' in invited) throw new Error(invited.refusal)
  const { page, problems } = await openWindow({ url })
  await page.goto(`/console/invitation#${invited.token}`)
  const field = page.getByLabel('Your password, or a new one')
  await field.fill('another password')
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('alert').getByText('another password').waitFor()
  expect(problems.splice(0)).toEqual([refusal(400, '/console/api/invitation')])
  await field.fill(person.password)
  await page.getByRole('button', { name: 'Join' }).click()
  await switcher(page, 'Away').waitFor()
  expect(page.url()).toBe(`${url}/console/accounts/${accountId}/`)
})
