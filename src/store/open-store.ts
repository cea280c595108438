import { existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { CamelCasePlugin, Kysely, sql, type Dialect, type Logger } from 'kysely'
import { Migrator } from 'kysely/migration'
import { isStoreAway, isStoreFull } from './errors.ts'
import { migrations } from './migrations.ts'
import { createPostgresDialect } from './postgres.ts'
import { createSqliteDialect } from './sqlite.ts'
import type { Tables } from './tables.ts'

/** The control database: accounts, keys, people, jobs, loads. */
export type Store = Kysely<Tables>

export type StorePlace = {
  /** The folder of the SQLite file, if `databaseUrl` names no PostgreSQL. */
  readonly folder: string
  readonly databaseUrl?: string | undefined
}

/** Any number that no other application locks in the same database. */
const migrationLock = 4_242_000_001

export const storeFile = (folder: string): string => join(folder, 'adcube.db')

export const hasStore = ({ folder, databaseUrl }: StorePlace): boolean =>
  databaseUrl !== undefined || existsSync(storeFile(folder))

/** Creates a store without migrating it. Tables and columns are camelCase in code and snake_case in SQL. */
export const createStore = (dialect: Dialect, log?: Logger): Store =>
  new Kysely<Tables>({ dialect, plugins: [new CamelCasePlugin()], ...(log && { log }) })

/** Opens a store without migrating it, which an earlier version may be using. */
export const connectStore = async (place: StorePlace): Promise<Store> => createStore(await chooseDialect(place))

/** Opens the store, creates it if there is none, and runs pending migrations. */
export async function openStore(place: StorePlace): Promise<Store> {
  const store = await connectStore(place)
  try {
    // In one transaction, so that a failed migration leaves nothing behind and processes that start together take turns.
    await store.transaction().execute(async (transaction) => {
      // SQLite's transactions take its write lock. PostgreSQL needs one, before the migrator creates its tables.
      if (place.databaseUrl !== undefined)
        await sql`SELECT pg_advisory_xact_lock(${migrationLock})`.execute(transaction)
      const provider = { getMigrations: async () => ({ ...migrations }) }
      const { error } = await new Migrator({ db: transaction, provider }).migrateToLatest()
      if (error !== undefined) throw error
    })
  } catch (error) {
    const unknown = await listUnknownMigrations(store).catch(() => [])
    await store.destroy()
    if (unknown.length > 0) {
      throw new Error(
        `The control data belong to a newer version of Adcube: this version does not know ${unknown.join(', ')}. Install ` +
          'the newer version again, or restore a backup that was made before the upgrade.',
        { cause: error },
      )
    }
    const trouble = isStoreFull(error) ? 'written' : isStoreAway(error) ? 'reached' : undefined
    if (trouble === undefined) throw error
    throw new Error(`The control database cannot be ${trouble}: ${describe(error)}`, { cause: error })
  }
  return store
}

/** Lists migrations that a newer version has run. */
async function listUnknownMigrations(store: Store): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(store)
  return rows.map(({ name }) => name).filter((name) => !(name in migrations))
}

async function chooseDialect({ folder, databaseUrl }: StorePlace): Promise<Dialect> {
  if (databaseUrl !== undefined) return createPostgresDialect(databaseUrl)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // SQLite creates its other files with the same mode.
  await (await open(storeFile(folder), 'a', 0o600)).close()
  return createSqliteDialect(storeFile(folder))
}

/** The message of an AggregateError leaves out the errors in it. */
const describe = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(describe).join(', ') : (error as Error).message
