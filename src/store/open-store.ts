import { existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { CamelCasePlugin, Kysely, sql, type Dialect, type Logger } from 'kysely'
import { Migrator } from 'kysely/migration'
import { isStoreAway } from './errors.ts'
import { migrations } from './migrations.ts'
import { createPostgresDialect } from './postgres.ts'
import { createSqliteDialect } from './sqlite.ts'
import type { Tables } from './tables.ts'

/** The control data: who may ask, and which facts are there to be asked about. */
export type Store = Kysely<Tables>

export type StorePlace = {
  /** Where the SQLite file is, unless there is a PostgreSQL. */
  readonly folder: string
  readonly databaseUrl?: string | undefined
}

/** Any number that nobody else locks in the same database. */
const migrationLock = 4_242_000_001

export const storeFile = (folder: string): string => join(folder, 'adcube.db')

export const hasStore = ({ folder, databaseUrl }: StorePlace): boolean =>
  databaseUrl !== undefined || existsSync(storeFile(folder))

/** The store behind a dialect, as it is. Its columns are camelCase here and snake_case in SQL. */
export const createStore = (dialect: Dialect, log?: Logger): Store =>
  new Kysely<Tables>({ dialect, plugins: [new CamelCasePlugin()], ...(log && { log }) })

/** Opens the store at a place, makes it where there is none, and brings its tables up to date. */
export async function openStore(place: StorePlace): Promise<Store> {
  const store = createStore(await chooseDialect(place))
  try {
    // In one transaction: a migration is done whole or not at all, and by one process of those that start at once.
    await store.transaction().execute(async (transaction) => {
      // SQLite's transactions begin with its one lock; PostgreSQL has to be asked, before the migrator makes its tables.
      if (place.databaseUrl !== undefined)
        await sql`SELECT pg_advisory_xact_lock(${migrationLock})`.execute(transaction)
      const provider = { getMigrations: async () => ({ ...migrations }) }
      const { error } = await new Migrator({ db: transaction, provider }).migrateToLatest()
      if (error !== undefined) throw error
    })
  } catch (error) {
    await store.destroy()
    if (!isStoreAway(error)) throw error
    throw new Error(`The control database cannot be reached: ${describe(error)}`, { cause: error })
  }
  return store
}

async function chooseDialect({ folder, databaseUrl }: StorePlace): Promise<Dialect> {
  if (databaseUrl !== undefined) return createPostgresDialect(databaseUrl)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // SQLite gives its other files the mode of this one.
  await (await open(storeFile(folder), 'a', 0o600)).close()
  return createSqliteDialect(storeFile(folder))
}

/** Several addresses of one host fail with several errors, of which none is in the message. */
const describe = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(describe).join(', ') : (error as Error).message
