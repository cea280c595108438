import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { atEnd } from '../setup/at-end.ts'
import { openControlService } from '../setup/control-service.ts'
import { makeReport } from '../setup/make-report.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const chromiumPath = inject('console')?.chromium
const imports = { '@noble/hashes/': '/node_modules/@noble/hashes/' }
const page = `<title>Another site</title><script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">import * as client from '/src/client/index.ts'; globalThis.client = client</script>`

/** Serves a page and the modules of the client, on an origin of its own. */
async function openSite(): Promise<string> {
  const site = createServer(async ({ url = '' }, response) => {
    if (!/^\/(?:src\/client|node_modules\/@noble)\//.test(url))
      return response.setHeader('content-type', 'text/html').end(page)
    const source = await readFile(`.${url}`, 'utf8')
    response.setHeader('content-type', 'text/javascript')
    return response.end(url.endsWith('.ts') ? stripTypeScriptTypes(source) : source)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  atEnd(() => new Promise((resolve) => site.close(resolve)))
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
}

test.skipIf(chromiumPath === undefined)(
  'a page of an allowed origin uses the client, and no other page reads answers',
  async () => {
    const [allowed, other] = [await openSite(), await openSite()]
    const store = await openStoreAt(await makePlace('SQLite'))
    const service = await openControlService(store, undefined, { allowedOrigins: [allowed] })
    const baseUrl = await service.listen()
    const csv = 'Day,Auctions\r\n2026-11-14,7\r\n'
    const { key, url } = await makeReport(store, service, Buffer.from(csv))
    const browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] })
    atEnd(() => browser.close())

    const visit = async (
      site: string,
      act: (given: { baseUrl: string; key: string; report: string }) => Promise<unknown>,
    ) => {
      const tab = await browser.newPage()
      await tab.goto(site)
      return tab.evaluate(act, { baseUrl, key, report: `${baseUrl}${await url()}` })
    }
    const call = async ({ baseUrl, key, report }: { baseUrl: string; key: string; report: string }) => {
      const { Adcube } = (globalThis as any).client
      const adcube = new Adcube({ baseUrl, apiKey: key, retries: 0 })
      const explain = (error: { status?: number; code?: string }) => `${error.status} ${error.code}`
      const ranges = await adcube.ranges().then((each: unknown[]) => each.length, explain)
      const wrong = await adcube.query('auctions', {}).catch(explain)
      const unknown = await new Adcube({ baseUrl, apiKey: 'adc_x', retries: 0 }).ranges().catch(explain)
      const part = await fetch(report, { headers: { range: 'bytes=0-2' } }).then(
        async (response) => [response.status, response.headers.get('content-range'), await response.text()],
        String,
      )
      const limits = await fetch(`${baseUrl}/v2/data`, { headers: { 'x-api-key': key } }).then(
        ({ headers }) => [headers.has('ratelimit'), headers.has('x-request-id')],
        String,
      )
      const session = await fetch(`${baseUrl}/console/api/session`, { credentials: 'include' }).then(String, String)
      return { ranges, wrong, unknown, part, limits, session }
    }
    const failed = 'TypeError: Failed to fetch'
    expect(await visit(allowed, call)).toEqual({
      ranges: 2,
      wrong: '400 invalid_query',
      unknown: '401 key_invalid',
      part: [206, `bytes 0-2/${csv.length}`, 'Day'],
      limits: [true, true],
      session: failed,
    })
    expect(await visit(other, call)).toMatchObject({ part: failed, limits: failed, session: failed })
  },
)
