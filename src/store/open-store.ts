import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from './migrations.ts'
import { createSqliteDialect } from './sqlite.ts'
import type { Tables } from './tables.ts'

/** The control data: who may ask, and which facts are there to be asked about. */
export type Store = Kysely<Tables>

export async function openStore(folder: string): Promise<Store> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'adcube.db')
  // SQLite gives its other files the mode of this one.
  await (await open(file, 'a', 0o600)).close()
  const store = new Kysely<Tables>({ dialect: createSqliteDialect(file) })
  const migrator = new Migrator({ db: store, provider: { getMigrations: async () => ({ ...migrations }) } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) {
    await store.destroy()
    throw new Error('The control database could not be brought up to date', { cause: error })
  }
  return store
}
