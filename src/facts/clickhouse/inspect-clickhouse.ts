import { cubes } from '../../catalog/cubes.ts'
import { FactsError } from '../errors.ts'
import type { EngineFinding } from '../facts.ts'
import { checkVersion, findGrowth } from './prepare-database.ts'
import { schemaSteps } from './schema.ts'
import { Server } from './server.ts'

type Addresses = { readonly url: string; readonly readerUrl: string | undefined; readonly owner: string | undefined }

/** Nodes and the server have to agree on today's date, and on how long ago something was. */
const clockMsMax = 1_000
const writerRights = 'SELECT, INSERT, CREATE TABLE, ALTER ADD COLUMN, ALTER DELETE'

const finding = (status: EngineFinding['status'], detail: string): EngineFinding => ({ status, detail })

/** Inspects the server without changing anything. */
export async function inspectClickhouse({ owner, ...addresses }: Addresses): Promise<readonly EngineFinding[]> {
  const server = new Server(addresses)
  try {
    await checkVersion(server)
    const clock = await inspectClock(server)
    const database = await inspectDatabase(server, owner)
    if (database.status !== 'ok') return [clock, database]
    return [clock, database, await inspectRights(server), await inspectReader(server, addresses.readerUrl)]
  } catch (error) {
    return [
      finding('fail', `ClickHouse cannot be used: ${describe(error)} Start it, or look at ADCUBE_CLICKHOUSE_URL.`),
    ]
  } finally {
    await server.close()
  }
}

/** Errors of the server have several lines, and may name more than a user needs. */
function describe(error: unknown): string {
  if (error instanceof FactsError && error.cause !== undefined) return describe(error.cause)
  if (error instanceof AggregateError) return error.errors.map(describe).join(' ')
  return `${(error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.slice(0, 200)}.`
}

async function inspectClock(server: Server): Promise<EngineFinding> {
  const askedAt = Date.now()
  const sql = 'SELECT version() AS version, toUnixTimestamp64Milli(now64(3)) AS now'
  const [row] = await server.ask<{ version: string; now: number }>({ as: 'writerWithoutDatabase', sql })
  const aheadMs = Number(row?.now) - (askedAt + Date.now()) / 2
  if (Math.abs(aheadMs) <= clockMsMax) return finding('ok', `ClickHouse ${row?.version}`)
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1)
  const side = aheadMs > 0 ? 'ahead of' : 'behind'
  return finding('fail', `The clock of ClickHouse is ${seconds} s ${side} ours: use NTP on both machines.`)
}

async function inspectDatabase(server: Server, owner: string | undefined): Promise<EngineFinding> {
  const { database } = server
  const sql = 'SELECT name FROM system.tables WHERE database = {database:String}'
  const tables = await server.ask<{ name: string }>({ as: 'writerWithoutDatabase', sql, params: { database } })
  const has = (table: string): boolean => tables.some(({ name }) => name === table)
  if (!has('owner'))
    return finding('warn', `The database ${database} does not have Adcube's tables yet; the first start creates them.`)
  const [found] = await server.ask<{ id: string }>({ sql: 'SELECT id FROM owner' })
  if (owner !== undefined && found?.id !== owner) {
    return finding(
      'fail',
      `The facts in the database ${database} belong to other control data: name another in ADCUBE_CLICKHOUSE_URL.`,
    )
  }
  const steps = has('schema_steps')
    ? await server.ask<{ step: number }>({ sql: 'SELECT DISTINCT step FROM schema_steps' })
    : []
  if (steps.some(({ step }) => !schemaSteps.some((known) => known.step === step)))
    return finding('fail', `A newer version of Adcube made the database ${database}: install that version again.`)
  if (steps.length < schemaSteps.length || (await findGrowth(server, cubes)).length > 0)
    return finding('warn', `The next start migrates the tables of ${database}: make a backup first.`)
  return finding('ok', `database ${database}`)
}

async function inspectRights(server: Server): Promise<EngineFinding> {
  // A star alone is the database of the connection. The statement takes no FORMAT.
  const answer = await server.run({ sql: `CHECK GRANT ${writerRights} ON *` })
  return answer.trim() === '1'
    ? finding('ok', 'its user can change tables')
    : finding('fail', `The user of ADCUBE_CLICKHOUSE_URL needs ${writerRights} on ${server.database}.*: grant them.`)
}

async function inspectReader(server: Server, readerUrl: string | undefined): Promise<EngineFinding> {
  if (readerUrl === undefined)
    return finding('warn', 'API queries use a user that can write: set ADCUBE_CLICKHOUSE_READER_URL.')
  const sql = "SELECT value FROM system.settings WHERE name = 'readonly'"
  const [row] = await server.ask<{ value: string }>({ as: 'reader', sql })
  await server.run({ as: 'reader', sql: 'SELECT step FROM schema_steps LIMIT 1' })
  return row?.value === '2'
    ? finding('ok', `a user that can only read ${server.database}`)
    : finding('fail', 'The user of ADCUBE_CLICKHOUSE_READER_URL can write: give it readonly = 2.')
}
