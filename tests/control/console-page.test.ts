import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { InjectOptions } from 'fastify'
import { describe, expect, it } from 'vitest'
import { noLimits } from '../../src/access/rate-limiter.ts'
import { atEnd } from '../setup/at-end.ts'
import { openControlService } from '../setup/control-service.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const scratch = await mkdtemp(join(tmpdir(), 'adcube-page-'))
atEnd(() => rm(scratch, { recursive: true }))
// A name that must not be taken for an asset.
const folder = join(scratch, 'assets')
const consoleFolder = join(folder, 'dist')
const script = '/console/assets/main-x1.js'
await mkdir(join(consoleFolder, 'assets'), { recursive: true })
for (const [name, content] of Object.entries({
  'secret.txt': 'secret',
  'dist/index.html': '<title>page</title>',
  'dist/icon.svg': '<svg/>',
  'dist/assets/main-x1.js': 'plain',
  'dist/assets/main-x1.js.gz': 'packed with gzip',
  'dist/assets/main-x1.js.br': 'packed with brotli',
})) {
  await writeFile(join(folder, name), content)
}

const store = await openStoreAt(await makePlace('SQLite'))
const { app, listen } = await openControlService(store, noLimits, { consoleFolder })
const ask = (url: string, options: InjectOptions = {}) => app.inject({ method: 'GET', url, ...options })

describe('the console page', () => {
  it('is the target of the redirect from /', async () => {
    const { statusCode, headers } = await ask('/')
    expect([statusCode, headers.location]).toEqual([302, '/console'])
  })

  it.each(['/console', '/console/', '/console/explorer?d=Day', '/console/settings/keys', '/console/index.html'])(
    'is at %s, never from a cache that was not asked, and runs no scripts but those of the server',
    async (url) => {
      const { statusCode, headers, body } = await ask(url)
      expect([statusCode, body]).toEqual([200, '<title>page</title>'])
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      const policy = String(headers['content-security-policy']).split('; ')
      expect(policy).toEqual(
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'", "base-uri 'none'"]),
      )
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy.filter((rule) => rule.includes('unsafe'))).toEqual(["style-src 'self' 'unsafe-inline'"])
      expect(policy.filter((rule) => /https?:|\*/.test(rule))).toEqual([])
    },
  )

  it('has assets that are cached forever, in the encoding that the browser accepts', async () => {
    for (const [encoding, body] of [
      ['gzip', 'packed with gzip'],
      ['gzip, br', 'packed with brotli'],
      ['identity', 'plain'],
    ]) {
      const answer = await ask(script, { headers: { 'accept-encoding': encoding } })
      expect([answer.statusCode, answer.body]).toEqual([200, body])
      expect(answer.headers).toMatchObject({
        'content-type': 'application/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      })
    }
    expect((await ask('/console/icon.svg')).headers).toMatchObject({ 'cache-control': 'no-cache' })
  })

  it.each(['/console/assets/gone-x0.js', '/console/api', '/console/api/nothing'])('is not at %s', async (url) => {
    const { statusCode, headers } = await ask(url)
    expect([statusCode, headers['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8'])
    expect((await ask(url, { method: 'POST' })).statusCode).toBe(url === '/console/assets/gone-x0.js' ? 405 : 404)
  })

  it.each(['/', '/console', '/console/explorer', script])(
    'refuses methods other than GET and HEAD at %s',
    async (url) => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
        const { statusCode, headers } = await ask(url, { method })
        expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD'])
      }
      const { statusCode, body } = await ask(url, { method: 'HEAD' })
      expect([statusCode, body]).toEqual([url === '/' ? 302 : 200, ''])
    },
  )

  it('does not serve files outside of its folder, however the URL is written', async () => {
    await listen()
    const { port } = app.server.address() as AddressInfo
    // Sent as it is; other clients resolve `..` themselves.
    const read = (path: string) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
      return text(socket)
    }
    const ups = ['..', '%2e%2e', '.%2e', '..%2f..', '%252e%252e', '..\\..', '%5c..', '%00/..', './/..']
    for (const up of ups) {
      for (const path of [`/console/${up}/secret.txt`, `/console/assets/${up}/${up}/secret.txt`]) {
        const answer = await read(path)
        expect(answer, path).toMatch(/^HTTP\/1.1 [24]0\d /)
        expect(answer.split('\r\n\r\n')[1], path).not.toContain('secret')
      }
    }
    expect(await read(`/console//${folder}/secret.txt`)).toContain('<title>page</title>')
  })

  it('says how to build it if it has not been built', async () => {
    const { app } = await openControlService(store, noLimits, { consoleFolder: join(folder, 'none') })
    for (const url of ['/console', '/console/explorer']) {
      const { statusCode, headers, body } = await app.inject({ url })
      expect([statusCode, headers['content-type']]).toEqual([503, 'text/plain'])
      expect(body).toContain('Run "npm run build"')
    }
    expect((await app.inject({ url: '/console/api/keys' })).statusCode).toBe(401)
  })
})
