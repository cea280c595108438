import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Cube } from '../catalog/cube.ts'
import { cubes } from '../catalog/cubes.ts'
import type { Facts, Portion } from '../facts/facts.ts'
import { chunksOf } from '../store/chunks-of.ts'
import type { Store } from '../store/open-store.ts'
import { oldestDayDue, restoreDays } from './retire-old.ts'
import { sweepStaged } from './stage-days.ts'

/** The lease for removing facts. While a process holds it, no other removes any. */
export const factsSweep = 'sweep-facts'

type SweepDeps = {
  readonly facts: Facts
  readonly store: Store
  readonly log: Logger
  readonly now: () => number
}

/** Twelve heartbeats of a load. */
const silentMsMax = 60_000
/** Longer than any query, which may still read loads that were visible when it began. Longer reports are made again. */
const graceMs = 15 * 60_000
/** The next round handles the rest. */
const rowsAtOnce = 1_000

/** Removes facts that nobody can see: of failed loads, of replaced days, and of days that were too old a day ago. */
export async function sweepFacts(deps: SweepDeps, throwIfOver: () => void = () => {}): Promise<void> {
  const { store, now } = deps
  await endSilentLoads(store, { silentSince: now() - silentMsMax, now: now() })
  const oldest = oldestDayDue(now())
  while (await restoreDays(store, oldest)) throwIfOver()
  await sweepStaged(store, throwIfOver)
  for (const cube of cubes) {
    throwIfOver()
    await sweepFailed(deps, cube)
    await sweepRetired(deps, cube, throwIfOver)
  }
}

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

/** Ends loads that have not reported since `silentSince`. */
export async function endSilentLoads(
  store: Store,
  { silentSince, now }: { readonly silentSince: number; readonly now: number },
): Promise<void> {
  await store
    .updateTable('loads')
    .set({ state: 'failed', finishedAt: now, failureReason: 'The load was interrupted.' })
    .where('state', '=', 'loading')
    .where('aliveAt', '<', silentSince)
    .execute()
}

/** Lists loads that show nothing and may have left facts behind. */
export async function listUnsweptLoads(store: Store, cube: string): Promise<readonly number[]> {
  const rows = await store
    .selectFrom('loads')
    .select('id')
    .where('cube', '=', cube)
    .where('state', 'in', ['failed', 'skipped'])
    .where('sweptAt', 'is', null)
    .limit(rowsAtOnce)
    .execute()
  return rows.map(({ id }) => id)
}

/** Marks loads as swept, except those that ended (again) since they were listed. */
export async function markLoadsSwept(
  store: Store,
  ids: readonly number[],
  { listedAt, now }: { readonly listedAt: number; readonly now: number },
): Promise<void> {
  await store
    .updateTable('loads')
    .set({ sweptAt: now })
    .where('id', 'in', ids)
    .where('finishedAt', '<=', listedAt)
    .execute()
}

/** Finds what was replaced before `before`, of one day at a time, because ClickHouse keeps days apart. */
export async function findRetiredDay(
  store: Store,
  { cube, before }: { readonly cube: string; readonly before: number },
): Promise<readonly Portion[]> {
  const due = store.selectFrom('retiredLoads').where('cube', '=', cube).where('retiredAt', '<', before)
  const first = await due.select(['retiredAt', 'day']).orderBy('retiredAt').orderBy('day').limit(1).executeTakeFirst()
  if (!first) return []
  return due
    .select(['accountId as account', 'day', 'loadId as load'])
    .where('retiredAt', '=', first.retiredAt)
    .where('day', '=', first.day)
    .limit(rowsAtOnce)
    .execute()
}

/** Deletes the records of removed facts, and the checksums of appended files whose load shows nothing any more. */
export async function forgetRetired(store: Store, cube: string, stale: readonly Portion[]): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    for (const { account: accountId, day, load: loadId } of stale) {
      await transaction
        .deleteFrom('retiredLoads')
        .where((row) => row.and({ cube, accountId, day, loadId }))
        .execute()
    }
    await transaction
      .deleteFrom('appendedFiles')
      .where('loadId', 'in', [...new Set(stale.map(({ load }) => load))])
      .where((file) => {
        const visible = file.selectFrom('visibleLoads').select('day')
        return file.not(file.exists(visible.whereRef('visibleLoads.loadId', '=', 'appendedFiles.loadId')))
      })
      .execute()
  })
}

const draftsAtOnce = 400

/** Removes the drafts of loads that were killed. */
export async function sweepDrafts(
  { store, draftsFolder }: { readonly store: Store; readonly draftsFolder: string },
  throwIfOver: () => void = () => {},
): Promise<void> {
  // Listed before the loads, so that the folder of a load that begins now is not among them.
  const names = await readdir(draftsFolder).catch(() => [])
  const drafts = names.filter((name) => /^\d{1,15}$/.test(name)).map(Number)
  for (const ids of chunksOf(drafts, draftsAtOnce)) {
    throwIfOver()
    const open = await store
      .selectFrom('loads')
      .select('id')
      .where('id', 'in', ids)
      .where('state', '=', 'loading')
      .execute()
    const isOpen = new Set(open.map(({ id }) => id))
    for (const id of ids) {
      if (!isOpen.has(id)) await rm(join(draftsFolder, String(id)), { recursive: true, force: true })
    }
  }
}
