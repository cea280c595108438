import type { Cube } from '../../catalog/cube.ts'
import type { Day } from '../../query/day.ts'
import type { Statement } from '../compile.ts'
import type { Portion } from '../facts.ts'
import { rollupTable } from './schema.ts'
import { queryIdPrefixOf, type Server } from './server.ts'

/** The server reads the list again for every part that it goes through. */
const portionsAtOnce = 5_000

const tablesOf = (cube: Cube): readonly string[] => [cube.table, rollupTable(cube)]

/** Removes what is stored of these loads, and stops what is still being inserted. */
export async function removeLoads(server: Server, cube: Cube, loads: readonly number[]): Promise<void> {
  if (loads.length === 0) return
  // An insert goes on when its sender is gone. Other databases of the server have loads with the same numbers.
  const stop = `KILL QUERY WHERE current_database = {database:String} AND arrayExists(
    prefix -> startsWith(query_id, prefix), {prefixes:Array(String)}
  ) SYNC`
  await server.run({ sql: stop, params: { database: server.database, prefixes: loads.map(queryIdPrefixOf) } })
  const ofLoads = { sql: 'load IN {loads:Array(UInt64)}', params: { loads } }
  for (const table of tablesOf(cube)) {
    const sql = `SELECT DISTINCT day FROM ${table} WHERE ${ofLoads.sql}`
    const found = await server.ask<{ day: Day }>({ sql, params: ofLoads.params })
    const days = found.map(({ day }) => day)
    if (days.length > 0) await deleteRows(server, table, days, ofLoads)
  }
}

export async function removePortions(server: Server, cube: Cube, portions: readonly Portion[]): Promise<void> {
  for (let from = 0; from < portions.length; from += portionsAtOnce) {
    const some = portions.slice(from, from + portionsAtOnce)
    const dayOfEach = some.map(({ day }) => day)
    const ofPortions = {
      sql: '(account, day, load) IN arrayZip({accounts:Array(String)}, {dayOfEach:Array(Date)}, {loads:Array(UInt64)})',
      params: { accounts: some.map(({ account }) => account), dayOfEach, loads: some.map(({ load }) => load) },
    }
    for (const table of tablesOf(cube)) await deleteRows(server, table, [...new Set(dayOfEach)], ofPortions)
  }
}

/**
 * Removes rows of these days, and waits until they are gone. Queries that read them go on with the parts that they
 * started with. A mutation goes through the parts of all days, so one is made for all; only for a single day does it pay
 * to name the partition.
 */
async function deleteRows(
  server: Server,
  table: string,
  days: readonly Day[],
  { sql, params }: Statement,
): Promise<void> {
  const [day, ...others] = days
  const partition = others.length === 0 ? 'IN PARTITION {day:String} ' : ''
  await server.run({
    sql: `ALTER TABLE ${table} DELETE ${partition}WHERE day IN {days:Array(Date)} AND ${sql}`,
    params: { day, days, ...params },
    msMax: server.timeouts.removalMsMax,
    settings: { mutations_sync: '2' },
  })
}
