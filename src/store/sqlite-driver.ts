import { setTimeout as delay } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { isSqliteBusy, StoreBusyError } from './errors.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { WriteQueue } from './write-queue.ts'

const busyPauseMs = 5

type Connections = {
  /** For single statements. They run to their end without an `await`, so they never meet. */
  readonly shared: SqliteConnection
  /** For one transaction at a time. */
  readonly ofTransactions: SqliteConnection
  readonly busyMsMax: number
}

/**
 * Lets nothing wait for a lock but what needs it. SQLite has one write lock for all processes: a transaction takes it at
 * its beginning (`BEGIN IMMEDIATE`), because one that takes it half-way would fail instead of waiting. Reads need no lock,
 * and go on beside a transaction that is open or waits.
 */
export class SqliteDriver implements Driver {
  readonly #connections: Connections
  readonly #queue = new WriteQueue()

  constructor(connections: Connections) {
    this.#connections = connections
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Session> {
    return new Session(this.#connections, this.#queue)
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction(session: Session): Promise<void> {
    return session.begin()
  }

  async commitTransaction(session: Session): Promise<void> {
    session.commit()
  }

  async rollbackTransaction(session: Session): Promise<void> {
    session.rollback()
  }

  async destroy(): Promise<void> {
    this.#connections.ofTransactions.close()
    this.#connections.shared.close()
  }
}

/** What Kysely takes for a connection: one statement, or one transaction. */
class Session implements DatabaseConnection {
  readonly #connections: Connections
  readonly #queue: WriteQueue
  #hasBegun = false

  constructor(connections: Connections, queue: WriteQueue) {
    this.#connections = connections
    this.#queue = queue
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { shared, ofTransactions } = this.#connections
    // A transaction has the lock already.
    if (this.#hasBegun) return ofTransactions.run(query)
    try {
      return shared.run(query)
    } catch (error) {
      if (!isSqliteBusy(error)) throw error
    }
    const result = await this.#runWithLock(() => shared.run<Row>(query))
    this.#queue.leave()
    return result
  }

  /** All rows at once: a statement that stays open would keep the shared connection at an old state of the data. */
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery(query)
  }

  async begin(): Promise<void> {
    await this.#runWithLock(() => this.#connections.ofTransactions.execute('BEGIN IMMEDIATE'))
    this.#hasBegun = true
  }

  commit(): void {
    this.#connections.ofTransactions.execute('COMMIT')
    this.#end()
  }

  rollback(): void {
    try {
      // After some errors, such as a full disk, SQLite has rolled back by itself.
      if (this.#connections.ofTransactions.isInTransaction) this.#connections.ofTransactions.execute('ROLLBACK')
    } finally {
      this.#end()
    }
  }

  #end(): void {
    this.#hasBegun = false
    this.#queue.leave()
  }

  /**
   * Waits for its turn in this process, and then for the other processes by trying again: SQLite's own way of waiting
   * would stop the event loop. What finds the database busy has done nothing. If it succeeds, the caller has the turn.
   */
  async #runWithLock<Result>(work: () => Result): Promise<Result> {
    const until = performance.now() + this.#connections.busyMsMax
    if (!(await this.#queue.enter(this.#connections.busyMsMax))) throw new StoreBusyError()
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (!isSqliteBusy(error) || performance.now() >= until) {
          this.#queue.leave()
          throw isSqliteBusy(error) ? new StoreBusyError({ cause: error }) : error
        }
      }
      await delay(busyPauseMs)
    }
  }
}
