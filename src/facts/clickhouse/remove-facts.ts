import type { Cube } from '../../catalog/cube.ts'
import type { Day } from '../../query/day.ts'
import type { Statement } from '../compile.ts'
import type { Portion } from '../facts.ts'
import { ask, tell } from './ask.ts'
import type { Server } from './connect.ts'
import { queryIdPrefixOf } from './query-ids.ts'
import { rollupTable } from './schema.ts'

/** The server reads the list again for every part that it goes through. */
const portionsAtOnce = 5_000

/** Removes all that is stored of these loads, and what is still on its way. */
export async function removeLoads(server: Server, cube: Cube, loads: readonly number[]): Promise<void> {
  if (loads.length === 0) return
  await stopInserts(server, loads)
  const ofLoads = { sql: 'load IN {loads:Array(UInt64)}', params: { loads } }
  for (const table of tablesOf(cube)) {
    const found = await ask<{ day: Day }>(
      server.writer,
      { sql: `SELECT DISTINCT day FROM ${table} WHERE ${ofLoads.sql}`, params: ofLoads.params },
      server.timeouts.statementMsMax,
    )
    const days = found.map(({ day }) => day)
    if (days.length > 0) await deleteRows(server, table, days, ofLoads)
  }
}

const tablesOf = (cube: Cube): readonly string[] => [cube.table, rollupTable(cube)]

export async function removePortions(server: Server, cube: Cube, portions: readonly Portion[]): Promise<void> {
  for (let from = 0; from < portions.length; from += portionsAtOnce) {
    const some = portions.slice(from, from + portionsAtOnce)
    const days = some.map(({ day }) => day)
    const ofPortions = {
      sql: '(account, day, load) IN arrayZip({accounts:Array(String)}, {dayOfEach:Array(Date)}, {loads:Array(UInt64)})',
      params: {
        accounts: some.map(({ account }) => account),
        dayOfEach: days,
        loads: some.map(({ load }) => load),
      },
    }
    for (const table of tablesOf(cube)) await deleteRows(server, table, [...new Set(days)], ofPortions)
  }
}

/** An insert goes on when the one who sent it is gone. */
async function stopInserts({ writer, database, timeouts }: Server, loads: readonly number[]): Promise<void> {
  await tell(
    writer,
    {
      // Another Adcube, in another database of the same server, has loads with these numbers too.
      sql: `KILL QUERY WHERE current_database = {database:String} AND arrayExists(
        prefix -> startsWith(query_id, prefix), {prefixes:Array(String)}
      ) SYNC`,
      params: { database, prefixes: loads.map(queryIdPrefixOf) },
    },
    timeouts.statementMsMax,
  )
}

/**
 * Removes rows of these days, and waits until they are gone. A query that has begun to read them reads on: it holds the
 * parts that it started with. Every such statement goes through the parts of all days, so one does it for all; only
 * where there is a single day it pays to name its partition.
 */
async function deleteRows(
  { writer, timeouts }: Server,
  table: string,
  days: readonly Day[],
  { sql, params }: Statement,
): Promise<void> {
  const [day, ...others] = days
  const partition = others.length === 0 ? 'IN PARTITION {day:String} ' : ''
  await tell(
    writer,
    {
      sql: `ALTER TABLE ${table} DELETE ${partition}WHERE day IN {days:Array(Date)} AND ${sql}`,
      params: { day, days, ...params },
    },
    timeouts.removalMsMax,
    { mutations_sync: '2' },
  )
}
