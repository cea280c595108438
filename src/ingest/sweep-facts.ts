import type { Logger } from 'pino'
import type { Cube } from '../catalog/cube.ts'
import { cubes } from '../catalog/cubes.ts'
import type { Facts } from '../facts/facts.ts'
import { addDays, dayOf } from '../query/day.ts'
import { oldestDayKept } from '../query/parse-range.ts'
import type { Store } from '../store/open-store.ts'
import {
  findRetiredDay,
  forgetRetired,
  giveUpSilentLoads,
  listUnsweptLoads,
  markLoadsSwept,
  retireDaysBefore,
} from '../store/stale-loads.ts'

/** The lease under which facts are removed. Whoever holds it sees none disappear. */
export const factsSweep = 'sweep-facts'

export type SweepDeps = {
  readonly facts: Facts
  readonly store: Store
  readonly log: Logger
  readonly now: () => number
}

/** A loader says that it lives every five seconds. */
const silentMsMax = 60_000
/** Longer than a query takes from the moment it is told which loads to read. A report that takes longer is made again. */
const graceMs = 15 * 60_000

/** Removes what nobody can see any more: of loads that failed, that were replaced, and days that are too old. */
export async function sweepFacts(deps: SweepDeps, throwIfOver: () => void = () => {}): Promise<void> {
  const { store, now } = deps
  await giveUpSilentLoads(store, { silentSince: now() - silentMsMax, now: now() })
  // A day more than can be asked for is kept: a job that was accepted before midnight may run after it.
  const oldest = oldestDayKept(addDays(dayOf(now()), -1))
  while (await retireDaysBefore(store, oldest, now())) throwIfOver()
  for (const cube of cubes) {
    throwIfOver()
    await sweepFailed(deps, cube)
    await sweepRetired(deps, cube, throwIfOver)
  }
}

/** Some at a time: more are removed the next time. */
async function sweepFailed({ facts, store, log, now }: SweepDeps, cube: Cube): Promise<void> {
  const listedAt = now()
  const loads = await listUnsweptLoads(store, cube.name)
  if (loads.length === 0) return
  await facts.removeLoads(cube, loads)
  await markLoadsSwept(store, loads, { listedAt, now: now() })
  log.info({ cube: cube.alias, loads }, 'facts of failed loads removed')
}

async function sweepRetired({ facts, store, log, now }: SweepDeps, cube: Cube, throwIfOver: () => void): Promise<void> {
  for (;;) {
    throwIfOver()
    const stale = await findRetiredDay(store, { cube: cube.name, before: now() - graceMs })
    const day = stale[0]?.day
    if (day === undefined) return
    await facts.removePortions(cube, stale)
    await forgetRetired(store, cube.name, stale)
    log.info({ cube: cube.alias, day, loads: stale.length }, 'replaced or outdated facts removed')
  }
}
