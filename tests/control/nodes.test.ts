import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changeAccount, disableAccount, enableAccount } from '../../src/access/accounts.ts'
import { countInStore } from '../../src/access/count-in-store.ts'
import { deleteKey, listKeys } from '../../src/access/keys.ts'
import { auctions } from '../../src/catalog/auctions.ts'
import { findAccount } from '../../src/store/accounts.ts'
import { operator } from '../../src/store/audit.ts'
import { openClock, readTime } from '../../src/store/clock.ts'
import { tryLease } from '../../src/store/hold-lease.ts'
import { createStore } from '../../src/store/open-store.ts'
import { createSqliteDialect } from '../../src/store/sqlite.ts'
import { atEnd } from '../setup/at-end.ts'
import { openControlService } from '../setup/control-service.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

describe.each(databases)('one of two nodes that share %s', async (database) => {
  const place = await makePlace(database)
  const stores = [await openStoreAt(place), await openStoreAt(place)] as const
  const [here, there] = [await openControlService(stores[0]), await openControlService(stores[1])]
  const now = here.clock.now

  /** An account whose key the other node has just accepted. */
  const makeKnown = async () => {
    // Limits are counted by each node, and not what this is about.
    const account = await here.makeAccount(10)
    expect((await there.ask(account.key, 'GET', '/v2/data/status')).status).toBe(200)
    const readMetadata = () => there.ask(account.key, 'GET', '/v2/data/metadata')
    expect((await readMetadata()).status).toBe(200)
    return { ...account, readMetadata }
  }

  it('refuses a key from the first request after the other has deleted it', async () => {
    for (const by of ['the operator', 'an Administrator']) {
      const { id, key, readMetadata } = await makeKnown()
      const [stored] = await listKeys(stores[0], id)
      if (by === 'the operator') await deleteKey(stores[0], { id: stored!.id, actor: operator, now })
      else {
        const { cookie } = await here.signIn(id, 'administrator')
        expect((await here.click(cookie, 'DELETE', `/keys/${stored!.id}`)).status).toBe(204)
      }
      expect(await readMetadata()).toMatchObject({ status: 401, body: { code: 'key_invalid' } })
      expect((await there.ask(key, 'POST', '/mcp')).status).toBe(401)
    }
  })

  it('keeps an account out from the first request after it was disabled, and lets it in again', async () => {
    const { id, readMetadata } = await makeKnown()
    const { cookie } = await there.signIn(id, 'member')
    await disableAccount(stores[0], id, now)
    expect(await readMetadata()).toMatchObject({ body: { code: 'account_disabled' } })
    expect((await there.click(cookie, 'GET', '/session')).status).toBe(401)
    await enableAccount(stores[0], id, now)
    expect((await readMetadata()).status).toBe(200)
    expect((await there.click(cookie, 'GET', '/session')).status).toBe(200)
  })

  it('knows the cubes and limits of an account from the first request after they were changed', async () => {
    const { id, readMetadata } = await makeKnown()
    await changeAccount(stores[0], id, { cubes: [auctions], rateFactor: 100 }, now)
    const { body, headers } = await readMetadata()
    expect(body.cubes).toMatchObject([{ cube: auctions.name }])
    expect(headers['ratelimit-policy']).toContain('"data-get";q=1000;w=60')
  })
})

it('a query reads the control data once, when the loads of its days are known', async () => {
  const place = await makePlace('SQLite')
  await openStoreAt(place)
  const asked: string[] = []
  const dialect = createSqliteDialect(join(place.folder, 'adcube.db'))
  const store = createStore(dialect, ({ query }) => void asked.push(query.sql))
  atEnd(() => store.destroy())
  const { makeAccount, send } = await openControlService(store)
  const { key } = await makeAccount()
  const query = () =>
    send({
      method: 'POST',
      url: '/v2/data/synchronous?cube=auctions',
      headers: { 'x-api-key': key },
      payload: { start: '2026-11-01', end: '2026-11-02', dimensions: ['Day'], metrics: ['Auctions'] },
    })
  expect((await query()).body).toMatchObject({ code: 'engine_away' })
  asked.length = 0
  expect((await query()).body).toMatchObject({ code: 'engine_away' })
  expect(asked).toEqual([expect.stringMatching(/^select .* from "api_keys" inner join "accounts"/)])
})

describe('nodes whose clocks differ by a minute and that share PostgreSQL', async () => {
  const place = await makePlace('PostgreSQL')
  const stores = [await openStoreAt(place), await openStoreAt(place)] as const
  const minuteMs = 60_000
  const clocks = [
    await openClock(stores[0]),
    await openClock(stores[1], () => Date.now() + minuteMs),
    await openClock(stores[1], () => Date.now() - minuteMs),
  ] as const
  for (const clock of clocks) atEnd(() => clock.stop())

  it('have the same time', async () => {
    const times = clocks.map(({ now }) => now())
    for (const time of [...times, await readTime(stores[1], () => 0)]) {
      expect(Math.abs(time - Date.now())).toBeLessThan(10_000)
    }
  })

  it('allow an account its quota, not twice', async () => {
    const [here, ...others] = await Promise.all(
      clocks.map((clock, index) => openControlService(stores[index % 2]!, countInStore(stores[index % 2]!), { clock })),
    )
    const { key } = await here!.makeAccount()
    const statuses: number[] = []
    for (const node of [here!, ...others]) {
      for (let count = 0; count < 5; count++) {
        const { status } = await node.ask(key, 'POST', '/v2/data/synchronous?cube=auctions')
        statuses.push(status)
      }
    }
    expect(statuses.filter((status) => status !== 429)).toHaveLength(5)
  })

  it('leave a lease to its holder', async () => {
    const { signal } = new AbortController()
    const [here, ahead] = clocks
    const taken = await tryLease(stores[0], 'only one', { signal, now: here.now }, () =>
      tryLease(stores[1], 'only one', { signal, now: ahead.now }, async () => 'taken early'),
    )
    expect(taken).toEqual({ result: undefined })
  })

  it('record that time with commands, too', async () => {
    const ahead = `data:text/javascript,const now = Date.now; Date.now = () => now() + ${60 * minuteMs}`
    const child = spawn(process.execPath, ['--import', ahead, 'src/cli/main.ts', 'account', 'create', 'Ahead'], {
      env: { ...process.env, ADCUBE_DATA_DIR: place.folder, ADCUBE_DATABASE_URL: place.databaseUrl },
      stdio: 'ignore',
    })
    expect(await once(child, 'exit')).toEqual([0, null])
    const { createdAt } = (await findAccount(stores[0], 'ahead'))!
    expect(Math.abs(createdAt - Date.now())).toBeLessThan(20 * minuteMs)
  })
})
