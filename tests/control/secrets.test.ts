import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makePlace, openStoreAt, databases } from '../setup/stores.ts'
import { openControlService } from '../setup/control-service.ts'

const planted = 'planted-password-5QmZ'

describe.each(databases)('in %s', async (database) => {
  const place = await makePlace(database)
  const store = await openStoreAt(place)

  /** Dumps the whole database as text. */
  const readDatabase = async (): Promise<string> => {
    if (database === 'SQLite') {
      const names = await readdir(place.folder)
      expect(names).toEqual(expect.arrayContaining(['adcube.db', 'adcube.db-wal']))
      const files = await Promise.all(names.map((name) => readFile(join(place.folder, name), 'latin1')))
      return files.join('')
    }
    const tables = ['apiKeys', 'people', 'sessions', 'audit', 'accounts', 'rateStates'] as const
    const rows = await Promise.all(tables.map((table) => store.selectFrom(table).selectAll().execute()))
    return JSON.stringify(rows)
  }

  it('no key, password, session or invitation is in the database, the log or an error', async () => {
    const service = await openControlService(store)
    const { click, send, ask, makeAccount, signIn, logged } = service
    const account = await makeAccount()
    const admin = await signIn(account.id, 'administrator')
    const made = (await click(admin.cookie, 'POST', '/keys', { name: 'planted' })).body
    const email = `guest@${account.id}.example`
    const invited = (await click(admin.cookie, 'POST', '/people', { email, role: 'member' })).body
    const url = '/console/api'
    const answers = [
      await send({ method: 'POST', url: `${url}/invitation`, payload: { token: 'x', password: planted } }),
      await send({
        method: 'POST',
        url: `${url}/invitation`,
        payload: { token: invited.invitation_token, password: planted },
      }),
      await send({ method: 'POST', url: `${url}/session`, payload: { email, password: planted } }),
      // Secrets in wrong places: another field, an invalid body, an address, a header.
      await send({ method: 'POST', url: `${url}/session`, payload: { email: planted, password: 7 } }),
      await send({ method: 'POST', url: `${url}/session`, payload: { email, password: `${planted}-wrong` } }),
      await send({
        method: 'POST',
        url: `${url}/session`,
        headers: { 'content-type': 'application/json' },
        payload: planted,
      }),
      await ask(made.key, 'GET', `/v2/data?cube=${made.key}`),
      await ask(made.key, 'GET', `/v2/data`),
      await ask(`${made.key}x`, 'GET', '/v2/data'),
      await click(`adcube=${planted}`, 'GET', '/session'),
      await click(admin.cookie, 'POST', '/password', { current_password: planted, new_password: planted }),
    ]
    const session = admin.cookie.split('=')[1]!
    await service.app.close()
    const database_ = await readDatabase()
    expect(database_).toContain(made.id)
    expect(logged.join('')).toContain('/console/api/session')
    for (const secret of [planted, made.key.slice(4, 44), session, invited.invitation_token]) {
      expect(database_).not.toContain(secret)
      expect(logged.filter((line) => line.includes(secret))).toEqual([])
      // Only the answer that names a wrong parameter or address may contain the key.
      const texts = answers.filter((_, index) => index !== 6).map(({ text }) => text)
      expect(texts.filter((text) => text.includes(secret))).toEqual([])
    }
  })
})
