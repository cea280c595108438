import { setTimeout as delay } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { WaitingLine } from '../concurrency/waiting-line.ts'
import { isSqliteBusy, StoreBusyError } from './errors.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

const busyPauseMs = 5

type Connections = {
  /** For single statements. They run without an `await`, so they cannot interleave. */
  readonly shared: SqliteConnection
  /** For one transaction at a time. */
  readonly ofTransactions: SqliteConnection
  readonly busyMsMax: number
}

/**
 * Runs statements and transactions on two connections. SQLite has one write lock for all processes. A transaction takes it
 * when it begins (`BEGIN IMMEDIATE`): taken later, it would fail instead of waiting. Reads need no lock, and run while a
 * transaction is open or waits.
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

/** A connection for Kysely: one statement, or one transaction. */
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

  /** Returns all rows at once: an open statement would keep the shared connection at an old snapshot. */
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
   * Waits in line within this process, and then for other processes by trying again, because SQLite's own waiting blocks
   * the event loop. A statement that finds the database busy has done nothing. After success, the caller must leave.
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
