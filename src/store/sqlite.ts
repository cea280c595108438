import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type Dialect } from 'kysely'
import { SqliteConnection } from './sqlite-connection.ts'
import { SqliteDriver } from './sqlite-driver.ts'

/** Writes take milliseconds, so a longer wait is an error. */
const defaultBusyMsMax = 10_000

/** Creates a Kysely dialect for node:sqlite. A write fails if the database stays busy for `busyMsMax`. */
export function createSqliteDialect(file: string, { busyMsMax = defaultBusyMsMax } = {}): Dialect {
  const shared = new SqliteConnection(file)
  const ofTransactions = new SqliteConnection(file)
  return {
    createDriver: () => new SqliteDriver({ shared, ofTransactions, busyMsMax }),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new Adapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

class Adapter extends SqliteAdapter {
  /** Otherwise Kysely would run the queries and transactions of a process one after the other. */
  override get supportsMultipleConnections(): boolean {
    return true
  }

  /** SQLite can roll back a migration, although Kysely assumes that it cannot. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}
