import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, vi } from 'vitest'
import { countInStore } from '../../src/access/count-in-store.ts'
import { findAccount, insertAccount, updateAccount } from '../../src/store/accounts.ts'
import { isStoreAway } from '../../src/store/errors.ts'
import { sql } from 'kysely'
import { openControlService } from '../setup/control-service.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

describe('a PostgreSQL that closes its connections', async () => {
  const place = await makePlace('PostgreSQL')
  const store = await openStoreAt(place)
  const other = await openStoreAt(place)
  const cutAll = () =>
    sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`.execute(
      other,
    )

  it('fails the statements that are running, and no others', async () => {
    await insertAccount(store, { id: 'cut', name: 'Before', createdAt: 0 })
    const broken = store.transaction().execute(async (transaction) => {
      await updateAccount(transaction, 'cut', { name: 'Half' })
      await cutAll()
      await updateAccount(transaction, 'cut', { name: 'Whole' })
    })
    const error: unknown = await broken.catch((reason: unknown) => reason)
    expect(isStoreAway(error), String(error)).toBe(true)
    expect(await findAccount(store, 'cut')).toMatchObject({ name: 'Before' })
  })

  it('causes at most answers of 503, and works again soon', async () => {
    const service = await openControlService(store, countInStore(store))
    const { id, key } = await service.makeAccount(10)
    const { cookie } = await service.signIn(id, 'administrator')
    const statuses = new Set<number>()
    const ask = async () => {
      const answers = await Promise.all([
        service.ask(key, 'GET', '/v2/data'),
        service.click(cookie, 'GET', '/keys'),
        service.click(cookie, 'POST', '/keys', { name: 'x' }),
      ])
      for (const { status, body, headers } of answers) {
        statuses.add(status)
        if (status === 503) expect([body.code, headers['retry-after']]).toEqual(['store_away', '1'])
      }
    }
    for (let count = 0; count < 5; count++) await Promise.all([ask(), cutAll()])
    expect([...statuses].filter((status) => ![200, 201, 409, 503].includes(status))).toEqual([])
    await vi.waitFor(async () => expect((await service.ask(key, 'GET', '/v2/data')).status).toBe(200))
    // The log has the cause, but neither the key nor the password of the database.
    expect(service.logged.join('')).not.toContain(key.slice(4, 44))
    expect(service.logged.join('')).not.toContain(String(place.databaseUrl))
  })
})

describe('a SQLite database that another process writes to', async () => {
  const place = await makePlace('SQLite')
  const store = await openStoreAt(place)

  it('makes only writers wait', async () => {
    const writer = new DatabaseSync(join(place.folder, 'adcube.db'))
    writer.exec('BEGIN IMMEDIATE')
    let isDone = false
    const insert = insertAccount(store, { id: 'patient', name: 'Patient', createdAt: 0 }).then(() => (isDone = true))
    // If the event loop were blocked, no timer would run.
    const startedAt = performance.now()
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(isDone).toBe(false)
    writer.exec('ROLLBACK')
    writer.close()
    await insert
    expect(await findAccount(store, 'patient')).toMatchObject({ name: 'Patient' })
  })
})
