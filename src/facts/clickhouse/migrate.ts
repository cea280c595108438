import type { Logger } from 'pino'
import type { Cube } from '../../catalog/cube.ts'
import { ask, tell } from './ask.ts'
import type { Server } from './connect.ts'
import { planGrowth, schemaSteps } from './schema.ts'

const createSteps = `CREATE TABLE IF NOT EXISTS schema_steps (
  step UInt32,
  name String,
  applied_at DateTime DEFAULT now()
) ENGINE = MergeTree ORDER BY step`

/** Brings the tables up to this version's schema and to the catalog; does nothing where they are. */
export async function migrate(server: Server, cubes: readonly Cube[], log: Logger): Promise<void> {
  const { writer, database, timeouts } = server
  const msMax = timeouts.statementMsMax
  await tell(writer, { sql: createSteps }, msMax)
  const applied = await ask<{ step: number; name: string }>(
    writer,
    { sql: 'SELECT DISTINCT step, name FROM schema_steps ORDER BY step' },
    msMax,
  )
  const strange = applied.find(
    (each) => !schemaSteps.some(({ step, name }) => step === each.step && name === each.name),
  )
  if (strange) {
    throw new Error(
      `The ClickHouse database ${database} was made by another version of Adcube: this one does not know its schema ` +
        `step ${strange.step}, "${strange.name}". Use that version, or name another database in ADCUBE_CLICKHOUSE_URL.`,
    )
  }
  for (const { step, name, statements } of schemaSteps) {
    if (applied.some((each) => each.step === step)) continue
    for (const sql of statements) await tell(writer, { sql }, msMax)
    const record = 'INSERT INTO schema_steps (step, name) SELECT {step:UInt32}, {name:String}'
    await tell(writer, { sql: record, params: { step, name } }, msMax)
    log.info({ step, name }, 'ClickHouse schema step applied')
  }
  for (const sql of await findGrowth(server, cubes)) {
    await tell(writer, { sql }, msMax)
    log.info({ sql }, 'ClickHouse tables have new columns')
  }
}

/** The statements that the catalog needs and that have not run yet. */
export async function findGrowth({ writer, database, timeouts }: Server, cubes: readonly Cube[]) {
  const sql = 'SELECT table, name FROM system.columns WHERE database = {database:String}'
  const stored = await ask<{ table: string; name: string }>(
    writer,
    { sql, params: { database } },
    timeouts.statementMsMax,
  )
  return planGrowth(cubes, stored)
}
