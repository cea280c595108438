import type { Cube } from '../../catalog/cube.ts'
import { cubes } from '../../catalog/cubes.ts'
import type { CheckOptions, Portion, RecordedPortion, Records } from '../facts.ts'
import { rollupTable } from './schema.ts'
import type { Server } from './server.ts'

type Stored = Portion & { readonly what: 'facts' | 'rollup' }
type Counted = Stored & { readonly rows: number }

/**
 * Compares the number of facts of every account, day and load with the records; the server itself checks checksums. Facts
 * and records change meanwhile, so each difference is checked once more.
 */
export async function checkCounts(
  server: Server,
  recordsOf: (cube: Cube) => Records,
  options: CheckOptions,
): Promise<void> {
  for (const cube of cubes) {
    const records = recordsOf(cube)
    const stored = Map.groupBy(await count(server, cube), ({ load }) => load)
    const loads = new Set([...(await records.listLoads()), ...stored.keys()])
    for (const load of [...loads].toSorted((a, b) => a - b)) {
      options.signal.throwIfAborted()
      const { visible } = await records.findLoad(load)
      for (const { rows } of visible) options.onChecked(rows !== null)
      if (compare(visible, stored.get(load) ?? []).length > 0) await checkAgain(server, cube, load, records, options)
    }
  }
}

/** Counts before it reads the records: facts are stored before they are recorded, and removed after their record. */
async function checkAgain(
  server: Server,
  cube: Cube,
  load: number,
  records: Records,
  { onFinding }: CheckOptions,
): Promise<void> {
  const stored = await count(server, cube, load)
  await records.renew()
  const { visible, retired, mayBeStored } = await records.findLoad(load)
  const isRetired = new Set(
    retired.flatMap((portion) => [keyOf({ ...portion, what: 'facts' }), keyOf({ ...portion, what: 'rollup' })]),
  )
  const wrong = compare(visible, stored).filter(
    ({ portion, recorded }) => recorded || (!mayBeStored && !isRetired.has(keyOf(portion))),
  )
  if (wrong.length === 0) return
  // Count again: rows removed since the first count are no strays.
  const left = new Set((await count(server, cube, load)).map(keyOf))
  for (const { portion, recorded, reason } of wrong) {
    const rollup = portion.what === 'rollup' ? ', rollup' : ''
    const place = `${cube.alias}, account ${portion.account}, day ${portion.day}, load ${load}${rollup}`
    if (recorded || left.has(keyOf(portion))) onFinding({ place, reason })
  }
}

function compare(visible: readonly RecordedPortion[], stored: readonly Counted[]) {
  const rowsOf = new Map(stored.map((each) => [keyOf(each), each.rows]))
  const expected = visible.flatMap(({ rollup, ...portion }) => [
    { ...portion, what: 'facts' as const },
    ...(rollup ? [{ ...portion, what: 'rollup' as const, rows: rollup.rows }] : []),
  ])
  const known = new Set(expected.map(keyOf))
  return [
    ...expected.flatMap((portion) => {
      const rows = rowsOf.get(keyOf(portion)) ?? 0
      if (rows > 0 && (portion.rows === null || portion.rows === rows)) return []
      const reason = rows === 0 ? 'is missing' : `has ${rows} rows instead of ${portion.rows}`
      return [{ portion, recorded: true, reason }]
    }),
    ...stored
      .filter((each) => !known.has(keyOf(each)))
      .map((portion) => ({ portion, recorded: false, reason: 'is a stray: it belongs to no load' })),
  ]
}

const keyOf = ({ what, account, day }: Omit<Stored, 'load'>): string => `${what} ${account} ${day}`

function count(server: Server, cube: Cube, load?: number): Promise<Counted[]> {
  const countIn = (table: string, what: Stored['what']): string =>
    `SELECT '${what}' AS what, account, toString(day) AS day, load, count() AS rows FROM ${table}
      ${load === undefined ? '' : 'WHERE load = {load:UInt64}'} GROUP BY account, ${table}.day, load`
  const sql = `${countIn(cube.table, 'facts')} UNION ALL ${countIn(rollupTable(cube), 'rollup')}`
  return server.ask({
    sql,
    params: load === undefined ? {} : { load },
    as: 'reader',
    msMax: server.timeouts.removalMsMax,
  })
}
