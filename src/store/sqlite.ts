import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type QueryResult,
  type SqliteDatabase,
  type SqliteDialectConfig,
} from 'kysely'
import { isSqliteBusy } from './errors.ts'

/** Writes take milliseconds; whoever waits longer than this had better be told. */
const busyMsMax = 10_000
const busyPauseMs = 5

/** The runtime's own SQLite, in the shape that Kysely's dialect expects of a driver. */
export function createSqliteDialect(file: string): SqliteDialect {
  const database = new DatabaseSync(file, { timeout: busyMsMax })
  // Readers and one writer in several processes at once; a commit is on the disk when it returns.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  // From here on, to wait for another process's write by standing still would be to stop everything in this one.
  database.exec('PRAGMA busy_timeout = 0')
  return new LockingDialect({ database: adapt(database) })
}

class LockingDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig

  constructor(config: SqliteDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver(): SqliteDriver {
    return new LockingDriver(this.#config)
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter()
  }
}

/** A transaction waits for the one write lock at its beginning; taking it half-way would fail instead of waiting. */
class LockingDriver extends SqliteDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    return new PatientConnection(await super.acquireConnection())
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/**
 * Tries again while another process writes, and leaves the event loop free meanwhile. A statement that finds the
 * database busy has done nothing, and within a transaction, which has the lock, none finds it so.
 */
class PatientConnection implements DatabaseConnection {
  readonly #inner: DatabaseConnection

  constructor(inner: DatabaseConnection) {
    this.#inner = inner
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const until = performance.now() + busyMsMax
    for (;;) {
      try {
        return await this.#inner.executeQuery<Row>(query)
      } catch (error) {
        if (!isSqliteBusy(error) || performance.now() > until) throw error
        await delay(busyPauseMs)
      }
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#inner.streamQuery<Row>(query, chunkSize)
  }
}

/** SQLite can undo a half-done migration; Kysely assumes that it cannot. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
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
