import type { Logger } from 'pino'
import type { Cube } from '../../catalog/cube.ts'
import { planGrowth, schemaSteps } from './schema.ts'
import type { Server } from './server.ts'

/** Before 25.3, an error in the middle of an answer ended it as if it were whole. */
const oldest = [25, 3] as const

const createSteps = `CREATE TABLE IF NOT EXISTS schema_steps (
  step UInt32,
  name String,
  applied_at DateTime DEFAULT now()
) ENGINE = MergeTree ORDER BY step`

export async function checkVersion(server: Server): Promise<void> {
  const [row] = await server.ask<{ version: string }>({
    as: 'writerWithoutDatabase',
    sql: 'SELECT version() AS version',
  })
  const [major = 0, minor = 0] = row?.version.split('.').map(Number) ?? []
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return
  throw new Error(
    `The ClickHouse server has version ${row?.version ?? 'unknown'}; Adcube needs ${oldest.join('.')} or newer.`,
  )
}

/**
 * Creates the database and records its owner, or checks that the owner is the same. Loads have numbers that are unique
 * only within one control database: with two of them, each would show the facts of the other.
 */
export async function claimDatabase(server: Server, owner: string): Promise<void> {
  const { database } = server
  const sql = 'CREATE DATABASE IF NOT EXISTS {database:Identifier}'
  await server.run({ as: 'writerWithoutDatabase', sql, params: { database } })
  // A view, because it is created in one step: of two servers that start together, one is the owner. It takes no bound values.
  await server.run({ sql: `CREATE VIEW IF NOT EXISTS owner AS SELECT ${quoteText(owner)} AS id` })
  const [row] = await server.ask<{ id: string }>({ sql: 'SELECT id FROM owner' })
  if (row?.id === owner) return
  throw new Error(
    `The facts in the ClickHouse database ${database} belong to other control data: set ADCUBE_DATA_DIR and ` +
      'ADCUBE_DATABASE_URL to the ones that go together, or name another database in ADCUBE_CLICKHOUSE_URL.',
  )
}

const quoteText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Brings the tables up to the schema of this version and to the catalog. */
export async function migrate(server: Server, cubes: readonly Cube[], log: Logger): Promise<void> {
  await server.run({ sql: createSteps })
  const applied = await server.ask<{ step: number; name: string }>({
    sql: 'SELECT DISTINCT step, name FROM schema_steps ORDER BY step',
  })
  const unknown = applied.find(
    (each) => !schemaSteps.some(({ step, name }) => step === each.step && name === each.name),
  )
  if (unknown) {
    throw new Error(
      `The ClickHouse database ${server.database} was made by another version of Adcube: this one does not know its schema ` +
        `step ${unknown.step}, "${unknown.name}". Use that version, or name another database in ADCUBE_CLICKHOUSE_URL.`,
    )
  }
  for (const { step, name, statements } of schemaSteps) {
    if (applied.some((each) => each.step === step)) continue
    for (const sql of statements) await server.run({ sql })
    const record = 'INSERT INTO schema_steps (step, name) SELECT {step:UInt32}, {name:String}'
    await server.run({ sql: record, params: { step, name } })
    log.info({ step, name }, 'ClickHouse schema step applied')
  }
  for (const sql of await findGrowth(server, cubes)) {
    await server.run({ sql })
    log.info({ sql }, 'ClickHouse tables have new columns')
  }
}

/** The statements that the catalog needs and that have not run yet. */
export async function findGrowth(server: Server, cubes: readonly Cube[]): Promise<readonly string[]> {
  const sql = 'SELECT table, name FROM system.columns WHERE database = {database:String}'
  const { database } = server
  return planGrowth(cubes, await server.ask<{ table: string; name: string }>({ sql, params: { database } }))
}
