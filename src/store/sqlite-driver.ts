import { setTimeout as delay } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { WaitingLine } from '../concurrency/waiting-line.ts'
import { isSqliteBusy, StoreBusyError } from './errors.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

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
  readonly #line = new WaitingLine({ places: 1 })

  constructor(connections: Connections) {
    this.#connections = connections
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Session> {
    return new Session(this.#connections, this.#line)
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
  readonly #line: WaitingLine
  /** Frees the write lock of this process; set during a transaction. */
  #leave: (() => void) | undefined

  constructor(connections: Connections, line: WaitingLine) {
    this.#connections = connections
    this.#line = line
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { shared, ofTransactions } = this.#connections
    // A transaction has the lock already.
    if (this.#leave) return ofTransactions.run(query)
    try {
      return shared.run(query)
    } catch (error) {
      if (!isSqliteBusy(error)) throw error
    }
    const [result, leave] = await this.#runWithLock(() => shared.run<Row>(query))
    leave()
    return result
  }

  /** All rows at once: a statement that stays open would keep the shared connection at an old state of the data. */
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery(query)
  }

  async begin(): Promise<void> {
    const [, leave] = await this.#runWithLock(() => this.#connections.ofTransactions.execute('BEGIN IMMEDIATE'))
    this.#leave = leave
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
    this.#leave?.()
    this.#leave = undefined
  }

  /**
   * Waits for its turn in this process, and then for the other processes by trying again: SQLite's own way of waiting
   * would stop the event loop. What finds the database busy has done nothing. If it succeeds, the caller must leave.
   */
  async #runWithLock<Result>(work: () => Result): Promise<[Result, leave: () => void]> {
    const { busyMsMax } = this.#connections
    const until = performance.now() + busyMsMax
    const leave = await this.#line.enter('', AbortSignal.timeout(busyMsMax)).catch((cause: unknown) => {
      throw new StoreBusyError({ cause })
    })
    for (;;) {
      try {
        return [work(), leave]
      } catch (error) {
        if (!isSqliteBusy(error) || performance.now() >= until) {
          leave()
          throw isSqliteBusy(error) ? new StoreBusyError({ cause: error }) : error
        }
      }
      await delay(busyPauseMs)
    }
  }
}
