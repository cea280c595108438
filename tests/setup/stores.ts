import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
import { atEnd } from './at-end.ts'
import { openStore, type Store, type StorePlace } from '../../src/store/open-store.ts'

/** Both control databases. They give the same guarantees. */
export const databases = ['SQLite', 'PostgreSQL'] as const

let count = 0

/** Creates an empty folder or database for a store, which is removed after the file's tests. */
export async function makePlace(database: (typeof databases)[number]): Promise<StorePlace> {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-control-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  if (database === 'SQLite') return { folder }
  const name = `test_${process.pid}_${count++}`
  const client = new Client(inject('postgresUrl') + 'postgres')
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return { folder, databaseUrl: inject('postgresUrl') + name }
}

/** Opens a store that is closed after the file's tests. */
export async function openStoreAt(place: StorePlace): Promise<Store> {
  const store = await openStore(place)
  atEnd(() => store.destroy())
  return store
}
