import type { Logger } from 'pino'
import type { Engine } from './engine.ts'
import { schemaSteps } from './schema.ts'

const createSteps = `CREATE TABLE IF NOT EXISTS schema_steps (
  step UInt32,
  name String,
  applied_at DateTime DEFAULT now()
) ENGINE = MergeTree ORDER BY step`

/** Brings the engine's schema up to this version's; does nothing where it is there already. */
export async function migrateEngine(engine: Engine, log: Logger): Promise<void> {
  const client = engine.writer()
  await client.command({ query: createSteps })
  const result = await client.query({ query: 'SELECT DISTINCT step FROM schema_steps', format: 'JSONEachRow' })
  const applied = new Set((await result.json<{ step: number }>()).map(({ step }) => step))

  const newest = Math.max(...schemaSteps.map(({ step }) => step))
  const unknown = [...applied].filter((step) => step > newest)
  if (unknown.length > 0) {
    throw new Error(`The engine's schema is at step ${Math.max(...unknown)}, newer than this version's ${newest}.`)
  }
  for (const { step, name, statements } of schemaSteps) {
    if (applied.has(step)) continue
    for (const query of statements) await client.command({ query })
    await client.insert({ table: 'schema_steps', values: [{ step, name }], format: 'JSONEachRow' })
    log.info({ step, name }, 'engine schema step applied')
  }
}
