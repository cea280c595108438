import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { beginLoad } from '../../src/ingest/load-state.ts'
import { findAccount, insertAccount, listAccounts, updateAccount } from '../../src/store/accounts.ts'
import { isStoreAway } from '../../src/store/errors.ts'
import { createStore, type Store } from '../../src/store/open-store.ts'
import { createSqliteDialect } from '../../src/store/sqlite.ts'
import { atEnd } from '../setup/at-end.ts'
import { makePlace, openStoreAt } from '../setup/stores.ts'

const place = await makePlace('SQLite')
const file = join(place.folder, 'adcube.db')
const store = await openStoreAt(place)
await insertAccount(store, { id: 'known', name: 'Before', createdAt: 0 })

/** Another process that holds the write lock as long as the test wants. */
function takeWriteLock(): { readonly release: () => void } {
  const writer = new DatabaseSync(file)
  writer.exec('BEGIN IMMEDIATE')
  return { release: () => writer.close() }
}

/** A transaction that renames the account and then waits for the test. */
async function openTransaction(on: Store, name: string) {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
  const done = on.transaction().execute(async (transaction) => {
    await updateAccount(transaction, 'known', { name })
    begin()
    await isOver
  })
  await Promise.race([hasBegun, done])
  return {
    commit: () => {
      end()
      return done
    },
  }
}

describe('while another process writes to SQLite', () => {
  it('a transaction waits, and reads of this process still work', async () => {
    const { release } = takeWriteLock()
    const waiting = openTransaction(store, 'After')
    let hasBegun = false
    void waiting.then(() => (hasBegun = true))
    for (let count = 0; count < 5; count++) {
      expect(await findAccount(store, 'known')).toMatchObject({ name: 'Before' })
    }
    expect(hasBegun).toBe(false)
    release()
    await (await waiting).commit()
    expect(await findAccount(store, 'known')).toMatchObject({ name: 'After' })
  })
})

describe('while a transaction of this process is open in SQLite', () => {
  it('reads see the state before it, and its changes after the commit', async () => {
    const { commit } = await openTransaction(store, 'Half')
    expect(await findAccount(store, 'known')).not.toMatchObject({ name: 'Half' })
    expect(await listAccounts(store)).toHaveLength(1)
    await commit()
    expect(await findAccount(store, 'known')).toMatchObject({ name: 'Half' })
  })

  it('other writers wait, and continue in their order', async () => {
    const { commit } = await openTransaction(store, 'x')
    const order: string[] = []
    const note = (name: string) => () => order.push(name)
    const writers = [
      store.transaction().execute((transaction) => updateAccount(transaction, 'known', { name: 'first' })),
      insertAccount(store, { id: 'second', name: 'Second', createdAt: 0 }),
      beginLoad(store, { cube: 'auctions', now: 0 }),
      store.transaction().execute((transaction) => updateAccount(transaction, 'known', { name: 'last' })),
    ].map((writer, index) => writer.then(note(`writer ${index + 1}`)))
    await findAccount(store, 'known')
    expect(order).toEqual([])
    await commit()
    await Promise.all(writers)
    expect(order).toEqual(['writer 1', 'writer 2', 'writer 3', 'writer 4'])
    expect(await findAccount(store, 'known')).toMatchObject({ name: 'last' })
  })
})

describe('a writer that finds SQLite busy for too long', () => {
  const impatient: Store = createStore(createSqliteDialect(file, { busyMsMax: 50 }))
  atEnd(() => impatient.destroy())
  const write = () => insertAccount(impatient, { id: 'late', name: 'Late', createdAt: 0 })
  const transact = () => impatient.transaction().execute(() => Promise.resolve('done'))

  const areRefused = async (): Promise<boolean[]> => {
    const outcomes = await Promise.allSettled([transact(), write(), transact()])
    return outcomes.map((outcome) => outcome.status === 'rejected' && isStoreAway(outcome.reason))
  }

  it('gets an error, and the next one succeeds', async () => {
    const { release } = takeWriteLock()
    expect(await areRefused()).toEqual([true, true, true])
    release()
    expect(await transact()).toBe('done')

    const { commit } = await openTransaction(impatient, 'slow')
    expect(await areRefused()).toEqual([true, true, true])
    await commit()
    expect([await transact(), await write()]).toEqual(['done', true])
  })
})

describe('SQLite', () => {
  it('reports why a transaction failed even after an automatic rollback, and still works', async () => {
    const failing = store.transaction().execute(async (transaction) => {
      await updateAccount(transaction, 'known', { name: 'gone' })
      // SQLite does this by itself if the disk is full.
      await sql`INSERT OR ROLLBACK INTO accounts SELECT * FROM accounts`.execute(transaction)
    })
    await expect(failing).rejects.toThrow('UNIQUE constraint failed')
    expect(await findAccount(store, 'known')).not.toMatchObject({ name: 'gone' })
    await store.transaction().execute((transaction) => updateAccount(transaction, 'known', { name: 'here' }))
    expect(await findAccount(store, 'known')).toMatchObject({ name: 'here' })
  })

  it('accepts writes while rows are read one by one', async () => {
    for await (const { id } of store.selectFrom('accounts').select('id').stream()) {
      await updateAccount(store, id, { name: `${id} again` })
      expect(await findAccount(store, id)).toMatchObject({ name: `${id} again` })
    }
  })
})
