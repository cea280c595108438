import { existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from './migrations.ts'
import { createSqliteDialect } from './sqlite.ts'
import type { Tables } from './tables.ts'

/** The control data: who may ask, and which facts are there to be asked about. */
export type Store = Kysely<Tables>

const fileIn = (folder: string): string => join(folder, 'adcube.db')

export const hasStore = (folder: string): boolean => existsSync(fileIn(folder))

/** Opens the store in a folder, and makes it where there is none. */
export async function openStore(folder: string): Promise<Store> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // SQLite gives its other files the mode of this one.
  await (await open(fileIn(folder), 'a', 0o600)).close()
  const store = new Kysely<Tables>({ dialect: createSqliteDialect(fileIn(folder)) })
  try {
    // In one transaction: a migration is done whole or not at all, and by one process of those that start at once.
    await store.transaction().execute(async (transaction) => {
      const provider = { getMigrations: async () => ({ ...migrations }) }
      const { error } = await new Migrator({ db: transaction, provider }).migrateToLatest()
      if (error !== undefined) throw new Error('The control database could not be brought up to date', { cause: error })
    })
  } catch (error) {
    await store.destroy()
    throw error
  }
  return store
}
