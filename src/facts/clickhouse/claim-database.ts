import { ask, tell } from './ask.ts'
import type { Server } from './connect.ts'

/**
 * Creates the database and makes it ours, or finds that it is: facts are known by the numbers of their loads, which
 * only the control data can tell apart. Two sets of control data on one database would show each other's facts.
 */
export async function claimDatabase({ founder, writer, database, timeouts }: Server, owner: string): Promise<void> {
  const create = { sql: 'CREATE DATABASE IF NOT EXISTS {database:Identifier}', params: { database } }
  await tell(founder, create, timeouts.statementMsMax)
  // A view, because its creation is one step: of two who come at once, one is the owner. It takes no bound values.
  await tell(
    writer,
    { sql: `CREATE VIEW IF NOT EXISTS owner AS SELECT ${quoteText(owner)} AS id` },
    timeouts.statementMsMax,
  )
  const [row] = await ask<{ id: string }>(writer, { sql: 'SELECT id FROM owner' }, timeouts.statementMsMax)
  if (row?.id === owner) return
  throw new Error(
    `The facts in the ClickHouse database ${database} belong to other control data: set ADCUBE_DATA_DIR and ` +
      'ADCUBE_DATABASE_URL to the ones that go together, or name another database in ADCUBE_CLICKHOUSE_URL.',
  )
}

const quoteText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
