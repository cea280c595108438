import type { Readable } from 'node:stream'
import type { Cube } from '../catalog/cube.ts'
import type { Engine } from '../engine/engine.ts'
import { writeFacts } from '../engine/write-facts.ts'
import { beginLoad, publishLoad } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'

type Deps = {
  readonly engine: Engine
  readonly store: Store
  readonly now: () => number
}

/**
 * Loads CSV with a header: `account`, the columns of the cube's dimensions and measures, and `devices` with `;`
 * between them. The days and accounts that it holds are replaced when all of it is stored; until then, and for ever
 * if anything fails, nothing of it can be seen.
 */
export async function loadFacts(deps: Deps, cube: Cube, csv: Readable): Promise<{ readonly rows: number }> {
  const { engine, store, now } = deps
  const id = await beginLoad(store, { cube: cube.name, now: now() })
  const days = await writeFacts(engine, cube, id, csv)
  const rows = days.reduce((sum, day) => sum + day.rows, 0)
  await publishLoad(store, { id, cube: cube.name, days, rows, now: now() })
  return { rows }
}
