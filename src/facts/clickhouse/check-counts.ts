import type { Cube } from '../../catalog/cube.ts'
import { cubes } from '../../catalog/cubes.ts'
import type { CheckOptions, Portion, RecordedPortion, Records } from '../facts.ts'
import { ask } from './ask.ts'
import type { Server } from './connect.ts'

type Counted = Portion & { readonly rows: number }

/**
 * Compares the number of facts of every account, day and load with the records: the server has checksums of its own.
 * Facts come and go meanwhile, so what looks wrong is held against the records once more.
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

/** Stored facts come before their record and go after it: counted first, what is visible was so all the time. */
async function checkAgain(
  server: Server,
  cube: Cube,
  load: number,
  records: Records,
  { onFinding }: CheckOptions,
): Promise<void> {
  const stored = await count(server, cube, load)
  const { visible, retired, mayBeStored } = await records.findLoad(load)
  const isRetired = new Set(retired.map(keyOf))
  const wrong = compare(visible, stored).filter(
    ({ portion, recorded }) => recorded || (!mayBeStored && !isRetired.has(keyOf(portion))),
  )
  if (wrong.length === 0) return
  // What is a stray only because it was removed after it was counted is none.
  const left = new Set((await count(server, cube, load)).map(keyOf))
  for (const { portion, recorded, reason } of wrong) {
    const place = `${cube.alias}, account ${portion.account}, day ${portion.day}, load ${load}`
    if (recorded || left.has(keyOf(portion))) onFinding({ place, reason })
  }
}

function compare(visible: readonly RecordedPortion[], stored: readonly Counted[]) {
  const rowsOf = new Map(stored.map((each) => [keyOf(each), each.rows]))
  const known = new Set(visible.map(keyOf))
  return [
    ...visible.flatMap((portion) => {
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

const keyOf = ({ account, day }: Omit<Portion, 'load'>): string => `${account} ${day}`

const count = ({ reader, timeouts }: Server, { table }: Cube, load?: number): Promise<Counted[]> =>
  ask<Counted>(
    reader,
    {
      sql: `SELECT account, toString(day) AS day, load, count() AS rows FROM ${table}
        ${load === undefined ? '' : 'WHERE load = {load:UInt64}'} GROUP BY account, ${table}.day, load`,
      params: load === undefined ? {} : { load },
    },
    timeouts.removalMsMax,
  )
