import type { Logger } from 'pino'
import type { Cube } from '../catalog/cube.ts'
import { cubes } from '../catalog/cubes.ts'
import { deleteFacts, dropDaysBefore, removeLoads } from '../engine/delete-facts.ts'
import type { Engine } from '../engine/engine.ts'
import { addDays, dayOf } from '../query/day.ts'
import { oldestDayKept } from '../query/parse-range.ts'
import type { Store } from '../store/open-store.ts'
import {
  findRetiredDay,
  forgetDaysBefore,
  forgetRetired,
  giveUpSilentLoads,
  listUnsweptLoads,
  markLoadsSwept,
} from '../store/stale-loads.ts'

export type SweepDeps = {
  readonly engine: Engine
  readonly store: Store
  readonly log: Logger
  readonly now: () => number
}

/** A loader says that it lives every five seconds. */
export const silentMsMax = 60_000
/** Longer than a query can be on its way to the engine: one that has arrived keeps what it reads. */
const graceMs = 15 * 60_000

/** Removes what nobody can see any more: of loads that failed, that were replaced, and days that are too old. */
export async function sweepFacts(deps: SweepDeps): Promise<void> {
  const { store, now } = deps
  await giveUpSilentLoads(store, { silentSince: now() - silentMsMax, now: now() })
  for (const cube of cubes) {
    await sweepFailed(deps, cube)
    await sweepRetired(deps, cube)
  }
  await dropOldDays(deps)
}

async function sweepFailed({ engine, store, log, now }: SweepDeps, cube: Cube): Promise<void> {
  const listedAt = now()
  const loads = await listUnsweptLoads(store, cube.name)
  if (loads.length === 0) return
  const days = await removeLoads(engine, cube, loads)
  await markLoadsSwept(store, loads, { listedAt, now: now() })
  log.info({ cube: cube.alias, loads, days }, 'facts of failed loads removed')
}

async function sweepRetired({ engine, store, log, now }: SweepDeps, cube: Cube): Promise<void> {
  for (;;) {
    const stale = await findRetiredDay(store, { cube: cube.name, before: now() - graceMs })
    const day = stale[0]?.day
    if (day === undefined) return
    await deleteFacts(engine, cube, day, { pairs: stale.map(({ account, load }) => [account, load]) })
    await forgetRetired(store, cube.name, stale)
    log.info({ cube: cube.alias, day, loads: stale.length }, 'replaced facts removed')
  }
}

/** Kept for a day more than can be asked for: a job that was accepted before midnight may run after it. */
async function dropOldDays({ engine, store, log, now }: SweepDeps): Promise<void> {
  const oldest = oldestDayKept(addDays(dayOf(now()), -1))
  await forgetDaysBefore(store, oldest)
  for (const cube of cubes) {
    const days = await dropDaysBefore(engine, cube, oldest)
    if (days.length > 0) log.info({ cube: cube.alias, days }, 'days older than 13 months removed')
  }
}
