import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it, openWindow, refusal } from './setup/browser.ts'
import { makeAccount, makeSignedIn } from './setup/people.ts'
import { sampleServer } from './setup/servers.ts'
import { createKey, hasFocus, heading, hostileName, tabTo } from './setup/steps.ts'

/** Creates an account with an Administrator, and opens the page of keys. */
async function openKeys(name: string) {
  const { url, store } = await sampleServer()
  const person = await makeSignedIn(store, await makeAccount(store, name))
  const opened = await openWindow({ url, cookie: person.cookie, permissions: ['clipboard-read', 'clipboard-write'] })
  await opened.page.goto('/console/settings/keys')
  const ask = async (key: string) => (await fetch(`${url}/v2/data`, { headers: { 'x-api-key': key } })).status
  return { ...opened, person, store, url, ask }
}

describe('an API key', () => {
  it('can be created, works with the API, and is refused after it is deleted', async () => {
    const { page, ask } = await openKeys('Keys')
    await page.getByText('0 of 10 keys').waitFor()
    const key = await createKey(page, 'Nightly report')
    await page.getByRole('button', { name: 'Copy the key' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await ask(key)).toBe(200)

    await page
      .getByRole('row', { name: 'Nightly report' })
      .getByText(`…${key.slice(-4)}`)
      .waitFor()
    await page.getByRole('button', { name: 'Delete Nightly report' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the key' }).click()
    await page.getByText('0 of 10 keys').waitFor()
    expect(await ask(key)).toBe(401)
  })

  it('is kept nowhere after it was shown: not in the page, its storage or the history', async () => {
    const { page } = await openKeys('Traces')
    const key = await createKey(page, 'Shown once')
    expect(await findTraces(page, key)).toEqual(['page'])
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await findTraces(page, key)).toEqual([])
    await page.getByRole('link', { name: 'Overview' }).click()
    await heading(page, 'Overview').waitFor()
    await page.goBack()
    await page.getByRole('row', { name: 'Shown once' }).waitFor()
    expect(await findTraces(page, key)).toEqual([])
  })

  it('can have a name with markup, which is shown as text everywhere', async () => {
    const { page } = await openKeys('Hostile names')
    await createKey(page, hostileName)
    const expectText = async () => {
      await page.getByText(hostileName).first().waitFor()
      expect(await page.locator('img[src=x]').count()).toBe(0)
    }
    await expectText()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: `Delete ${hostileName}` }).click()
    await page.getByRole('dialog').getByText(hostileName).waitFor()
    await expectText()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Audit trail' }).click()
    await page.getByRole('cell', { name: hostileName }).waitFor()
    await expectText()
  })

  it('can be created with the keyboard alone, from the sign-in on', async () => {
    const { url, store } = await sampleServer()
    const { email, password } = await makeSignedIn(store, await makeAccount(store, 'Keyboard'))
    const { page } = await openWindow({ url })
    await page.goto('/console')
    await page.getByLabel('E-mail').waitFor()
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await heading(page, 'Overview').waitFor()
    await tabTo(page, page.getByRole('link', { name: 'Settings' }))
    await page.keyboard.press('Enter')
    await page.getByText('0 of 10 keys').waitFor()
    const create = page.getByRole('button', { name: 'Create a key' })
    await tabTo(page, create)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    await page.keyboard.type('By keyboard')
    await page.keyboard.press('Enter')
    await page.getByText('Copy the key now').waitFor()
    await tabTo(page, page.getByRole('button', { name: 'Done' }))
    await page.keyboard.press('Space')
    await page.getByRole('row', { name: 'By keyboard' }).waitFor()
    expect(await hasFocus(create)).toBe(true)
  })
})

it('an invited Member sees everything and can change nothing, also not by direct requests', async () => {
  const { page, url } = await openKeys('Invites members')
  await createKey(page, 'Not for members')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const email = `member-${Date.now()}@invited.example`
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Create the invitation' }).click()
  const link = await page.getByRole('dialog').getByText('/console/invitation#').innerText()
  await page.getByRole('button', { name: 'Done' }).click()
  await page
    .getByRole('row', { name: email })
    .getByText(/^until /)
    .waitFor()

  const { page: theirs } = await openWindow({ url })
  await theirs.goto(link)
  await theirs.getByLabel('Your password, or a new one').fill('a password of mine')
  await theirs.getByRole('button', { name: 'Join' }).click()
  await heading(theirs, 'Overview').waitFor()
  await theirs.getByRole('link', { name: 'Settings' }).click()
  await theirs.getByRole('row', { name: 'Not for members' }).waitFor()
  const main = theirs.getByRole('main')
  expect(await main.getByRole('button').count()).toBe(0)
  await theirs.getByRole('link', { name: 'People' }).click()
  await theirs.getByRole('row', { name: `${email} (you)` }).waitFor()
  expect(await main.getByRole('button').count()).toBe(0)

  const { data } = await (await theirs.request.get('/console/api/keys')).json()
  const { data: people } = await (await theirs.request.get('/console/api/people')).json()
  const refused = [
    await theirs.request.post('/console/api/keys', { data: { name: 'x' } }),
    await theirs.request.delete(`/console/api/keys/${data[0].id}`),
    await theirs.request.post('/console/api/people', { data: { email: 'x@x.example', role: 'member' } }),
    await theirs.request.delete(`/console/api/people/${people[0].id}`),
  ]
  expect(refused.map((answer) => answer.status())).toEqual([403, 403, 403, 403])
})

it('an Administrator who becomes a Member is refused, and then sees what Members can do', async () => {
  const { page, person, problems, store } = await openKeys('Changes roles')
  const create = page.getByRole('button', { name: 'Create a key' })
  await create.click()
  await store.updateTable('memberships').set({ role: 'member' }).where('id', '=', person.id).execute()
  await page.getByLabel('Name').fill('Too late')
  await page.getByRole('button', { name: 'Create the key' }).click()
  await page.getByText('Ask an Administrator of your account.').waitFor()
  expect(problems.splice(0)).toEqual([refusal(403, '/console/api/keys')])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Only Administrators can create and delete keys.').waitFor()
  expect(await create.count()).toBe(0)
})

/** Lists the storages of a page that contain a text. */
async function findTraces(page: Page, text: string): Promise<string[]> {
  const places = await page.evaluate<Record<string, unknown>>(`(async () => ({
    page: [document.documentElement.outerHTML, [...document.querySelectorAll('input, textarea')].map((field) => field.value)],
    storage: [{ ...localStorage }, { ...sessionStorage }, document.cookie],
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    state: [history.state, location.href, document.title],
  }))()`)
  expect([places['databases'], places['caches']]).toEqual([[], []])
  const devtools = await page.context().newCDPSession(page)
  const history = await devtools.send('Page.getNavigationHistory')
  const all = Object.entries({ ...places, history, cookies: await page.context().cookies() })
  return all.filter(([, place]) => JSON.stringify(place).includes(text)).map(([name]) => name)
}
