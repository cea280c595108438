import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import { LRUCache } from 'lru-cache'

/** SQLite's own waiting blocks the event loop, so it is used only while the database is opened. */
const openMsMax = 10_000

/** More than the statements of the program; lists of different lengths are different statements. */
const preparedMax = 200

type Prepared = { readonly statement: StatementSync; readonly hasRows: boolean }

export class SqliteConnection {
  readonly #database: DatabaseSync
  /** By SQL. Preparing a statement takes as long as running it. */
  readonly #prepared = new LRUCache<string, Prepared>({ max: preparedMax })

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: openMsMax })
    // WAL lets several processes read while one writes. FULL: a commit is on disk when it returns.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    this.#database.exec('PRAGMA busy_timeout = 0')
  }

  run<Row>({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): QueryResult<Row> {
    const { statement, hasRows } = this.#prepared.get(sql) ?? this.#prepare(sql)
    const values = parameters as readonly SQLInputValue[]
    if (hasRows) return { rows: statement.all(...values) as Row[] }
    const { changes, lastInsertRowid } = statement.run(...values)
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] }
  }

  execute(sql: string): void {
    this.#database.exec(sql)
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction
  }

  close(): void {
    this.#database.close()
  }

  #prepare(sql: string): Prepared {
    const statement = this.#database.prepare(sql)
    // A query, or a write with RETURNING.
    const prepared = { statement, hasRows: statement.columns().length > 0 }
    this.#prepared.set(sql, prepared)
    return prepared
  }
}
