import type { Locator, Page } from 'playwright-core'

/** A name that runs a script if it is taken for markup. */
export const hostileName = '<img src=x onerror="document.title=1">'

export const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name, exact: true })

export async function signIn(page: Page, { email, password }: { readonly email: string; readonly password: string }) {
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Creates a key on the page of keys, and leaves the dialog open. */
export async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create a key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Create the key' }).click()
  return dialog.getByText(/^adc_\w{46}$/).innerText()
}

export const hasFocus = (target: Locator): Promise<boolean> => target.evaluate((element) => element.matches(':focus'))

const tabsMax = 60

/** Presses the Tab key until an element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let pressed = 0; pressed < tabsMax; pressed++) {
    await page.keyboard.press('Tab')
    if (await hasFocus(target)) return
  }
  throw new Error(`${target.toString()} cannot be reached with the Tab key.`)
}
