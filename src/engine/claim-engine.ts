import { ask, tell } from './ask.ts'
import type { Engine } from './engine.ts'

const createOwners = `CREATE TABLE IF NOT EXISTS owners (
  id String,
  since DateTime64(3) DEFAULT now64(3)
) ENGINE = MergeTree ORDER BY (since, id)`

/**
 * Makes the engine's database ours, or finds that it is: facts are known by the numbers of their loads, which only the
 * control data can tell apart. Two of them on one database would show each other's facts, and sweep them.
 */
export async function claimEngine(engine: Engine, owner: string): Promise<void> {
  await tell(engine, { query: createOwners })
  let found = await findOwner(engine)
  if (found === undefined) {
    await tell(engine, { query: 'INSERT INTO owners (id) SELECT {owner:String}', query_params: { owner } })
    // Who came first is the owner, if two came at once.
    found = await findOwner(engine)
  }
  if (found === owner) return
  throw new Error(
    `The facts in the engine's database ${engine.database} belong to other control data: name those (ADCUBE_DATA_DIR, ` +
      'ADCUBE_DATABASE_URL), or start with an empty folder, or another database in ADCUBE_CLICKHOUSE_URL.',
  )
}

async function findOwner(engine: Engine): Promise<string | undefined> {
  const rows = await ask<{ id: string }>(engine, { query: 'SELECT id FROM owners ORDER BY since, id LIMIT 1' })
  return rows[0]?.id
}
