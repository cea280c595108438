import type { Cube } from '../catalog/cube.ts'
import { cubes } from '../catalog/cubes.ts'
import type { Day } from '../query/day.ts'
import { ask, tell } from './ask.ts'
import type { Engine } from './engine.ts'

/** Removes all that the engine holds of these loads, and tells of how many days that was. */
export async function removeLoads(engine: Engine, cube: Cube, loads: readonly number[]): Promise<number> {
  await stopIntake(engine, loads)
  const days = await findDaysOf(engine, cube, loads)
  for (const day of days) await deleteFacts(engine, cube, day, { loads })
  await deleteFaults(engine, loads)
  return days.length
}

/** Whether the engine holds anything of a load. */
export async function holdsLoad(engine: Engine, load: number): Promise<boolean> {
  const tables = [...cubes.map(({ table }) => table), 'load_faults']
  const rows = await ask<object>(engine, {
    query: tables.map((table) => `SELECT load FROM ${table} WHERE load = {load:UInt64} LIMIT 1`).join(' UNION ALL '),
    query_params: { load },
  })
  return rows.length > 0
}

/** Stops whatever is still being taken in for these loads: an INSERT goes on when the one who sent it is gone. */
async function stopIntake(engine: Engine, loads: readonly number[]): Promise<void> {
  await tell(engine, {
    // Another Adcube, in another database of the same engine, has loads with these numbers too.
    query: `KILL QUERY WHERE current_database = {database:String} AND arrayExists(
      load -> startsWith(query_id, concat('load_', toString(load), '_')), {loads:Array(UInt64)}
    ) SYNC`,
    query_params: { loads, database: engine.database },
  })
}

/** The days of which these loads hold facts. */
async function findDaysOf(engine: Engine, { table }: Cube, loads: readonly number[]): Promise<readonly Day[]> {
  const rows = await ask<{ day: Day }>(engine, {
    query: `SELECT DISTINCT day FROM ${table} WHERE load IN {loads:Array(UInt64)}`,
    query_params: { loads },
  })
  return rows.map(({ day }) => day)
}

/**
 * Removes facts of a day. A query that has begun to read them reads on: it holds the parts that it started with. Waits
 * until they are gone.
 */
export async function deleteFacts(
  engine: Engine,
  { table }: Cube,
  day: Day,
  stale: { readonly loads: readonly number[] } | { readonly pairs: readonly (readonly [string, number])[] },
): Promise<void> {
  const [condition, params] =
    'loads' in stale
      ? ['load IN {loads:Array(UInt64)}', { loads: stale.loads }]
      : [
          '(account, load) IN arrayZip({accounts:Array(String)}, {loads:Array(UInt64)})',
          { accounts: stale.pairs.map(([account]) => account), loads: stale.pairs.map(([, load]) => load) },
        ]
  await tell(engine, {
    query: `ALTER TABLE ${table} DELETE IN PARTITION {day:String} WHERE ${condition}`,
    query_params: { day, ...params },
    clickhouse_settings: { mutations_sync: '2' },
  })
}

async function deleteFaults(engine: Engine, loads: readonly number[]): Promise<void> {
  await tell(engine, {
    query: 'ALTER TABLE load_faults DELETE WHERE load IN {loads:Array(UInt64)}',
    query_params: { loads },
    clickhouse_settings: { mutations_sync: '2' },
  })
}

/** Drops all days before `oldest`, and tells which. */
export async function dropDaysBefore(engine: Engine, { table }: Cube, oldest: Day): Promise<readonly Day[]> {
  const rows = await ask<{ day: Day }>(engine, {
    query: `SELECT DISTINCT partition AS day FROM system.parts
      WHERE database = {database:String} AND table = {table:String} AND active AND partition < {oldest:String}`,
    query_params: { database: engine.database, table, oldest },
  })
  const days = rows.map(({ day }) => day)
  for (const day of days) {
    await tell(engine, { query: `ALTER TABLE ${table} DROP PARTITION {day:String}`, query_params: { day } })
  }
  return days
}
