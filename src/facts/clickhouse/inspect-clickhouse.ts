import { cubes } from '../../catalog/cubes.ts'
import type { EngineFinding } from '../engine-finding.ts'
import { FactsError } from '../errors.ts'
import { ask, askPlain } from './ask.ts'
import { checkVersion } from './check-version.ts'
import { connect, type Server } from './connect.ts'
import { findGrowth } from './migrate.ts'
import { defaultTimeouts } from './timeouts.ts'
import { schemaSteps } from './schema.ts'

type Place = { readonly url: string; readonly readerUrl: string | undefined; readonly owner: string | undefined }

/** Nodes and the server agree on what is today, and on how long ago something was. */
const clockMsMax = 1_000
const writerRights = 'SELECT, INSERT, CREATE TABLE, ALTER ADD COLUMN, ALTER DELETE'

/** The server as it is; changes nothing there. */
export async function inspectClickhouse(place: Place): Promise<readonly EngineFinding[]> {
  const server = connect(place, defaultTimeouts)
  try {
    await checkVersion(server)
    const [first, ...others] = [await inspectClock(server), await inspectDatabase(server, place.owner)]
    if (others.some(({ status }) => status !== 'ok')) return [first, ...others]
    return [first, ...others, await inspectRights(server), await inspectReader(server, place.readerUrl)]
  } catch (error) {
    const detail = `ClickHouse cannot be used: ${describe(error)} Start it, or look at ADCUBE_CLICKHOUSE_URL.`
    return [{ status: 'fail', detail }]
  } finally {
    await server.close()
  }
}

/** What the server says goes over several lines and may name more than a user needs. */
function describe(error: unknown): string {
  if (error instanceof FactsError && error.cause !== undefined) return describe(error.cause)
  if (error instanceof AggregateError) return error.errors.map(describe).join(' ')
  return `${(error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.slice(0, 200)}.`
}

async function inspectClock({ founder, timeouts }: Server): Promise<EngineFinding> {
  const askedAt = Date.now()
  const sql = 'SELECT version() AS version, toUnixTimestamp64Milli(now64(3)) AS now'
  const [row] = await ask<{ version: string; now: number }>(founder, { sql }, timeouts.statementMsMax)
  const aheadMs = Number(row?.now) - (askedAt + Date.now()) / 2
  if (Math.abs(aheadMs) <= clockMsMax) return { status: 'ok', detail: `ClickHouse ${row?.version}` }
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1)
  const side = aheadMs > 0 ? 'ahead of' : 'behind'
  return { status: 'fail', detail: `The clock of ClickHouse is ${seconds} s ${side} ours: use NTP on both machines.` }
}

async function inspectDatabase(server: Server, owner: string | undefined) {
  const { founder, writer, database, timeouts } = server
  const read = <Row>(client: typeof writer, sql: string) =>
    ask<Row>(client, { sql, params: { database } }, timeouts.statementMsMax)
  const tables = await read<{ name: string }>(
    founder,
    'SELECT name FROM system.tables WHERE database = {database:String}',
  )
  const has = (table: string): boolean => tables.some(({ name }) => name === table)
  const finding = (status: EngineFinding['status'], detail: string): EngineFinding => ({ status, detail })
  if (!has('owner'))
    return finding('warn', `The database ${database} does not have Adcube's tables yet; the first start creates them.`)
  const [found] = await read<{ id: string }>(writer, 'SELECT id FROM owner')
  if (owner !== undefined && found?.id !== owner) {
    return finding(
      'fail',
      `The facts in the database ${database} belong to other control data: name another in ADCUBE_CLICKHOUSE_URL.`,
    )
  }
  const steps = has('schema_steps')
    ? await read<{ step: number }>(writer, 'SELECT DISTINCT step FROM schema_steps')
    : []
  const unknown = steps.filter(({ step }) => !schemaSteps.some((known) => known.step === step))
  if (unknown.length > 0)
    return finding('fail', `A newer version of Adcube made the database ${database}: install that version again.`)
  if (steps.length < schemaSteps.length || (await findGrowth(server, cubes)).length > 0)
    return finding('warn', `The next start migrates the tables of ${database}: make a backup first.`)
  return finding('ok', `database ${database}`)
}

async function inspectRights({ writer, database, timeouts }: Server): Promise<EngineFinding> {
  // A star alone is the database of the connection.
  const sql = `CHECK GRANT ${writerRights} ON *`
  const answer = await askPlain(writer, { sql }, timeouts.statementMsMax)
  return answer.trim() === '1'
    ? { status: 'ok', detail: 'its user can change tables' }
    : {
        status: 'fail',
        detail: `The user of ADCUBE_CLICKHOUSE_URL needs ${writerRights} on ${database}.*: grant them.`,
      }
}

async function inspectReader(
  { reader, database, timeouts }: Server,
  readerUrl: string | undefined,
): Promise<EngineFinding> {
  if (readerUrl === undefined) {
    return { status: 'warn', detail: 'API queries use a user that can write: set ADCUBE_CLICKHOUSE_READER_URL.' }
  }
  const sql = "SELECT value FROM system.settings WHERE name = 'readonly'"
  const [row] = await ask<{ value: string }>(reader, { sql }, timeouts.statementMsMax)
  await ask(reader, { sql: 'SELECT step FROM schema_steps LIMIT 1' }, timeouts.statementMsMax)
  return row?.value === '2'
    ? { status: 'ok', detail: `a user that can only read ${database}` }
    : { status: 'fail', detail: 'The user of ADCUBE_CLICKHOUSE_READER_URL can write: give it readonly = 2.' }
}
