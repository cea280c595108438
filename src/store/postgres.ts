import { PostgresAdapter, PostgresDialect, type Kysely } from 'kysely'
import { Pool, TypeOverrides, types } from 'pg'

/** Per node. PostgreSQL's default allows a hundred in all. */
const connectionsMax = 10
const connectMsMax = 5_000
/** Every statement touches a few rows. One that takes longer waits for a lock that will not be released. */
const statementMsMax = 15_000
/** Longer than the server's own limit, for a server that no longer answers. */
const answerMsMax = 20_000

export const isPostgres = (db: Pick<Kysely<unknown>, 'getExecutor'>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter

export function createPostgresDialect(url: string): PostgresDialect {
  const overrides = new TypeOverrides()
  // pg returns bigint as text. Counts and times are far below 2^53, and numbers in SQLite too.
  overrides.setTypeParser(types.builtins.INT8, Number)
  const pool = new Pool({
    connectionString: url,
    application_name: 'adcube',
    max: connectionsMax,
    connectionTimeoutMillis: connectMsMax,
    statement_timeout: statementMsMax,
    // A node that dies in a transaction must not hold its locks until its TCP connection times out.
    idle_in_transaction_session_timeout: statementMsMax,
    query_timeout: answerMsMax,
    keepAlive: true,
    types: overrides,
  })
  // A broken connection fails the query under way, and the pool replaces it. It also emits 'error' on the client, and on the
  // pool if it is idle; an unhandled 'error' would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return new PostgresDialect({ pool })
}
