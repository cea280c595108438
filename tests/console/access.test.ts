import { once } from 'node:events'
import { describe, expect } from 'vitest'
import { invitePerson } from '../../src/access/people.ts'
import { operator } from '../../src/store/audit.ts'
import { it, openWindow, refusal } from './setup/browser.ts'
import { makeAccount, makeSignedIn } from './setup/people.ts'
import { ownServer, sampleServer } from './setup/servers.ts'
import { heading, signIn } from './setup/steps.ts'

describe('signing in', () => {
  it('works with the sign-in of the first start, and opens the overview', async () => {
    const { url, email, password } = await sampleServer()
    const { page } = await openWindow({ url })
    await page.goto('/')
    await signIn(page, { email, password })
    await heading(page, 'Overview').waitFor()
    expect(page.url()).toBe(`${url}/console`)
    await page.getByText('Aurora Games').waitFor()
  })

  it('says if the password is wrong, and after too many attempts how long to wait', async () => {
    const { url, store } = await ownServer()
    const person = await makeSignedIn(store, await makeAccount(store, 'Guesses'))
    const { page, problems } = await openWindow({ url })
    await page.goto('/console')
    await signIn(page, { ...person, password: 'wrong' })
    const alert = page.getByRole('alert')
    await alert.getByText('The e-mail address or the password is wrong.').waitFor()
    const statuses = [401]
    // Ten at once, and one more each half minute.
    while (statuses.at(-1) === 401) {
      const answered = page.waitForResponse('**/api/session')
      await page.getByRole('button', { name: 'Sign in' }).click()
      statuses.push((await answered).status())
    }
    await alert.getByText(/Too many sign-in attempts\. Try again in \d+ seconds\./).waitFor()
    expect(statuses.length).toBeGreaterThan(10)
    expect(problems.splice(0)).toEqual(statuses.map((status) => refusal(status, '/console/api/session')))
  })

  it('ends with signing out, after which the back button shows nothing', async () => {
    const { url, store } = await sampleServer()
    const person = await makeSignedIn(store, await makeAccount(store, 'Signs out'))
    const { page } = await openWindow({ url, cookie: person.cookie })
    await page.goto('/console/profile')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'You' }).click()
    await page.getByText(person.email).waitFor()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading(page, 'Sign in').waitFor()
    expect(page.url()).toBe(`${url}/console/`)
    await page.goBack()
    await heading(page, 'Sign in').waitFor()
    expect(await page.getByText(person.email).count()).toBe(0)
    const answer = await fetch(`${url}/console/api/session`, { headers: { cookie: person.cookie } })
    expect(answer.status).toBe(401)
  })
})

it('a new password ends other sessions, and replaces the old one', async () => {
  const { url, store } = await sampleServer()
  const person = await makeSignedIn(store, await makeAccount(store, 'Changes'))
  const { page, problems } = await openWindow({ url, cookie: person.cookie })
  const other = await openWindow({ url })
  await other.page.goto('/console/profile')
  await signIn(other.page, person)
  await heading(other.page, 'Password and sessions').waitFor()

  await page.goto('/console/profile')
  await page.getByLabel('Current password').fill('wrong')
  await page.getByLabel('New password').fill('a new long password')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByRole('alert').getByText('is wrong').waitFor()
  expect(problems.splice(0)).toEqual([refusal(401, '/console/api/password')])
  await page.getByLabel('Current password').fill(person.password)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByRole('status').getByText('Your password has been changed').waitFor()

  await page.reload()
  await heading(page, 'Password and sessions').waitFor()
  await other.page.reload()
  await other.page.getByText('Your session has ended').waitFor()
  await signIn(other.page, { ...person, password: 'a new long password' })
  await heading(other.page, 'Password and sessions').waitFor()
  expect(other.problems.splice(0)).toEqual([refusal(401, '/console/api/session')])
})

it('an invitation can be used once, and its token does not stay in the URL', async () => {
  const { url, store } = await sampleServer()
  const accountId = await makeAccount(store, 'Invites')
  const email = `new@${accountId}.example`
  const invited = await invitePerson(store, { accountId, email, role: 'member', actor: operator, now: Date.now() })
  if ('refusal' in invited) throw new Error(invited.refusal)
  const link = `/console/invitation#${invited.token}`

  const { page } = await openWindow({ url })
  await page.goto(link)
  await page.getByLabel('Your password, or a new one').fill('a password of mine')
  await page.getByRole('button', { name: 'Join' }).click()
  await heading(page, 'Overview').waitFor()
  expect(page.url()).toBe(`${url}/console/`)
  await page.getByRole('button', { name: 'You' }).click()
  await page.getByText(email).waitFor()
  await page.getByText(/Member$/).waitFor()

  const again = await openWindow({ url })
  await again.page.goto(link)
  await again.page.getByLabel('Your password, or a new one').fill('another password')
  await again.page.getByRole('button', { name: 'Join' }).click()
  await again.page.getByRole('alert').getByText('already used').waitFor()
  expect(again.problems.splice(0)).toEqual([refusal(400, '/console/api/invitation')])
})

it('the page shows that the server is away, and continues when it is back', async () => {
  const { url, store, child, serve } = await ownServer()
  const person = await makeSignedIn(store, await makeAccount(store, 'Away'))
  const { page, problems } = await openWindow({ url, cookie: person.cookie })
  await page.goto('/console/settings/keys')
  await page.getByText('0 of 10 keys').waitFor()
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor()
  await serve(['--port', new URL(url).port]).address()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('rowheader', { name: person.email }).waitFor()
  const asked = problems.splice(0)
  expect(asked.length).toBeGreaterThan(0)
  expect(asked).toEqual(asked.map(() => expect.stringContaining('net::ERR_CONNECTION_REFUSED')))
})
