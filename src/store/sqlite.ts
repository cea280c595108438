import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { SqliteDialect, type SqliteDatabase } from 'kysely'

/** The runtime's own SQLite, in the shape that Kysely's dialect expects of a driver. */
export function createSqliteDialect(file: string): SqliteDialect {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  // Readers and one writer in several processes at once; a commit is on the disk when it returns.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  return new SqliteDialect({ database: adapt(database) })
}

function adapt(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql)
      const bind = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...bind(parameters)),
        run: (parameters) => statement.run(...bind(parameters)),
        iterate: (parameters) => statement.iterate(...bind(parameters)),
      }
    },
  }
}
