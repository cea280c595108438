import { PostgresDialect } from 'kysely'
import { Pool, TypeOverrides, types } from 'pg'

/** Each node has so many; PostgreSQL's own default allows a hundred in all. */
const connectionsMax = 10
const connectMsMax = 5_000
/** Every statement here touches a few rows; what takes longer waits for a lock that somebody has forgotten. */
const statementMsMax = 15_000
/** A little longer than the server's own limit: this one is for a server that has gone without a word. */
const answerMsMax = 20_000

export function createPostgresDialect(url: string): PostgresDialect {
  const overrides = new TypeOverrides()
  // Counts and times are whole numbers far below 2^53, and numbers in SQLite too; pg would give them as text.
  overrides.setTypeParser(types.builtins.INT8, Number)
  const pool = new Pool({
    connectionString: url,
    application_name: 'adcube',
    max: connectionsMax,
    connectionTimeoutMillis: connectMsMax,
    statement_timeout: statementMsMax,
    // A node that dies half-way must not hold its locks until TCP gives up on it.
    idle_in_transaction_session_timeout: statementMsMax,
    query_timeout: answerMsMax,
    keepAlive: true,
    types: overrides,
  })
  // A broken connection is the error of the query under way, if there is one, and replaced by the next. It is also an
  // event, of the pool while nobody uses the connection and of the client always, which nobody hears ends the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return new PostgresDialect({ pool })
}
