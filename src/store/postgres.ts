import { PostgresDialect } from 'kysely'
import { Pool, TypeOverrides, types } from 'pg'

/** Each node has so many; PostgreSQL's own default allows a hundred in all. */
const connectionsMax = 10
const connectMsMax = 5_000
/** Every statement here touches a few rows; what takes longer waits for a lock that somebody has forgotten. */
const statementMsMax = 15_000

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
    types: overrides,
  })
  // A connection that breaks while nobody uses it is replaced by the next query; without a listener it ends the process.
  pool.on('error', () => {})
  return new PostgresDialect({ pool })
}
