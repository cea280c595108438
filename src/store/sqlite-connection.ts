import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import { LRUCache } from 'lru-cache'

/** Only while the database is opened, and perhaps made, may the whole process stand still for another one. */
const openMsMax = 10_000

/** More than the program has, were it not for lists, of which each length is a statement of its own. */
const preparedMax = 200

type Prepared = { readonly statement: StatementSync; readonly hasRows: boolean }

export class SqliteConnection {
  readonly #database: DatabaseSync
  /** By their SQL. To prepare a statement takes as long as to run it. */
  readonly #prepared = new LRUCache<string, Prepared>({ max: preparedMax })

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: openMsMax })
    // Readers and one writer in several processes at once; a commit is on the disk when it returns.
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
    // A query, or a change with RETURNING.
    const prepared = { statement, hasRows: statement.columns().length > 0 }
    this.#prepared.set(sql, prepared)
    return prepared
  }
}
