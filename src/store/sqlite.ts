import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type Dialect } from 'kysely'
import { SqliteConnection } from './sqlite-connection.ts'
import { SqliteDriver } from './sqlite-driver.ts'

/** Writes take milliseconds; whoever waits longer than this had better be told. */
const defaultBusyMsMax = 10_000

/** The runtime's own SQLite, for Kysely. A write that finds the database busy for `busyMsMax` fails. */
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
  /** Kysely would otherwise let one query or transaction of this process wait for the other. */
  override get supportsMultipleConnections(): boolean {
    return true
  }

  /** SQLite can undo a half-done migration; Kysely assumes that it cannot. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}
