import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { expect, inject, onTestFinished, test } from 'vitest'
import { atEnd } from '../../setup/at-end.ts'

const given = inject('console')

/** A test that needs a browser, and is skipped without one. */
export const it = test.skipIf(given === undefined)

let browser: Promise<Browser> | undefined

async function openBrowser(): Promise<Browser> {
  // Containers have no user namespaces for the sandbox, and the pages are ours.
  const opened = await chromium.launch({ executablePath: given!.chromium, args: ['--no-sandbox'] })
  atEnd(() => opened.close())
  return opened
}

type Options = BrowserContextOptions & {
  readonly url: string
  /** Cookie of an open session. */
  readonly cookie?: string
}

/**
 * Opens a window without a page. It is closed after the test, which fails if `problems` are left: errors in the
 * browser's console, broken pages and requests to other hosts.
 */
export async function openWindow({ url, cookie, ...options }: Options): Promise<{ page: Page; problems: string[] }> {
  browser ??= openBrowser()
  const context = await (
    await browser
  ).newContext({
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  })
  if (cookie !== undefined) await setCookie(context, url, cookie)
  const problems: string[] = []
  context.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => problems.push(String(error.error())))
  context.on('request', (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(`${url}/`)) problems.push(`asked ${request.url()}`)
  })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') {
      process.stderr.write(`${page.url()} shows:\n${await page.locator('body').ariaSnapshot()}\n`)
    }
    await context.close()
    expect(problems).toEqual([])
  })
  return { page, problems }
}

export async function setCookie(context: BrowserContext, url: string, cookie: string): Promise<void> {
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }])
}

/** Expects a problem that the test causes. The browser logs every answer with an error status. */
export const refusal = (status: number, path: string): unknown =>
  expect.stringMatching(new RegExp(`status of ${status} .*${path}[^/]*\\)$`))
