import { statfs } from 'node:fs/promises'
import type { Registry } from 'prom-client'
import { cubes } from '../catalog/cubes.ts'
import { dayOf } from '../query/day.ts'
import { countStale } from '../store/list-stale.ts'
import type { Facts } from '../facts/facts.ts'
import { metricsOf } from './metrics-of.ts'
import { readFigures, type Figures } from './read-figures.ts'
import type { Store } from '../store/open-store.ts'
import type { WriteWatch } from '../store/write-watch.ts'
import { watch } from './watch.ts'

export type StateDeps = {
  readonly facts: Facts
  readonly store: Store
  readonly writes: WriteWatch
  /** Folders whose disks may fill up, by purpose. */
  readonly folders: Readonly<Record<string, string>>
  /** Free disk below which no report is begun. */
  readonly freeBytesMin: number
  readonly now: () => number
}

/** Days change seldom, and each account is looked at. */
const staleFreshMs = 60_000

/** Adds gauges of the control data, the engine and the disks. Returns a function that updates them before a scrape. */
export function watchState(registry: Registry, deps: StateDeps) {
  const { facts, store, writes, folders, freeBytesMin, now } = deps
  const { gauge } = metricsOf(registry)
  gauge('adcube_report_disk_required_bytes', 'Free disk below which no report is begun.').set(freeBytesMin)
  const engineUp = gauge('adcube_engine_up', 'Whether the engine would answer a query.')
  const storeUp = gauge('adcube_store_up', 'Whether the control database answers.')
  const writable = gauge('adcube_store_writable', '0 if a change could not be stored in the last 90 seconds.')
  const free = gauge('adcube_disk_free_bytes', 'Free disk for the folder.', 'folder')
  const size = gauge('adcube_disk_size_bytes', 'Size of its disk.', 'folder')
  const showFigures = figureGauges(registry)
  const stale = gauge(
    'adcube_stale_accounts',
    'Enabled accounts whose last loaded day is older than two days; accounts without data are left out.',
    'cube',
  )
  const names = cubes.map(({ name }) => name)
  const updates = [
    watch(
      () => facts.isUp(),
      (isUp) => engineUp.set(isUp ? 1 : 0),
    ),
    watch(
      async () => ({ figures: await readFigures(store, names, now()), at: now() }),
      (seen) => {
        storeUp.set(seen ? 1 : 0)
        showFigures(seen)
      },
    ),
    watch(
      async () => {
        const counts = new Map<string, number>()
        for (const cube of cubes) counts.set(cube.name, await countStale(store, cube, dayOf(now())))
        return counts
      },
      (counts) => {
        stale.reset()
        for (const [cube, accounts] of counts ?? []) stale.set({ cube }, accounts)
      },
      staleFreshMs,
    ),
    ...Object.entries(folders).map(([folder, path]) =>
      watch(
        () => statfs(path),
        (disk) => {
          free.remove({ folder })
          size.remove({ folder })
          if (!disk) return
          free.set({ folder }, disk.bavail * disk.bsize)
          size.set({ folder }, disk.blocks * disk.bsize)
        },
      ),
    ),
  ]
  return async (): Promise<void> => {
    writable.set(writes.hasFailed ? 0 : 1)
    await Promise.all(updates.map((update) => update()))
  }
}

/** Adds gauges of the control data, which are the same on every node that shares them. */
function figureGauges(registry: Registry) {
  const { gauge } = metricsOf(registry)
  const jobs = gauge('adcube_jobs', 'Jobs that are queued or running, or ended within the last hour.', 'state')
  const oldest = gauge('adcube_oldest_job_age_seconds', 'Since the oldest was accepted, or begun; 0: none.', 'state')
  const loads = gauge('adcube_loads', 'Loads begun in the last 24 hours (of the newest 1,000).', 'cube', 'state')
  const rows = gauge('adcube_loaded_rows', 'Rows of the visible ones of these loads.', 'cube')
  const held = gauge('adcube_deletions_held', '1 while data that is too old is kept until it is confirmed.', 'reason')
  const days = gauge('adcube_newest_day_timestamp_seconds', 'Begin of the newest day that is loaded.', 'cube')
  const damaged = gauge('adcube_verify_findings', 'Stored files of facts that differ from their recorded checksum.')

  const backup = gauge('adcube_last_backup_timestamp_seconds', 'End of the last backup; absent if there was none.')

  return (seen: { readonly figures: Figures; readonly at: number } | undefined): void => {
    // Old values would look like current ones.
    for (const each of [jobs, oldest, loads, rows, days, held]) each.reset()
    damaged.remove()
    backup.remove()
    if (!seen) return
    const { figures, at } = seen
    if (figures.lastBackupAt !== null) backup.set(figures.lastBackupAt / 1_000)
    for (const [state, count] of Object.entries(figures.jobs)) jobs.set({ state }, count)
    const ageOf = (since: number | null): number => (since === null ? 0 : (at - since) / 1_000)
    oldest.set({ state: 'queued' }, ageOf(figures.oldestQueuedAt))
    oldest.set({ state: 'running' }, ageOf(figures.oldestRunningAt))
    for (const [reason, isHeld] of Object.entries(figures.held)) held.set({ reason }, isHeld ? 1 : 0)
    for (const { name: cube } of cubes) {
      rows.set({ cube }, 0)
      for (const state of ['loading', 'visible', 'skipped', 'failed']) loads.set({ cube, state }, 0)
    }
    for (const each of figures.loads) {
      loads.set({ cube: each.cube, state: each.state }, each.loads)
      if (each.state === 'visible') rows.set({ cube: each.cube }, each.rows)
    }
    damaged.set(figures.damagedFiles)
    for (const { cube, day } of figures.newestDays) if (day !== null) days.set({ cube }, Date.parse(day) / 1_000)
  }
}
