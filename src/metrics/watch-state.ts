import { statfs } from 'node:fs/promises'
import type { Registry } from 'prom-client'
import { cubes } from '../catalog/cubes.ts'
import type { Facts } from '../facts/facts.ts'
import { metricsOf } from './metrics-of.ts'
import { readFigures, type Figures } from './read-figures.ts'
import type { Store } from '../store/open-store.ts'
import { watch } from './watch.ts'

export type StateDeps = {
  readonly facts: Facts
  readonly store: Store
  /** Folders whose disks may fill up, by purpose. */
  readonly folders: Readonly<Record<string, string>>
  /** Free disk below which no report is begun. */
  readonly freeBytesMin: number
  readonly now: () => number
}

/** Adds gauges of the control data, the engine and the disks. Returns a function that updates them before a scrape. */
export function watchState(registry: Registry, { facts, store, folders, freeBytesMin, now }: StateDeps) {
  const { gauge } = metricsOf(registry)
  gauge('adcube_report_disk_required_bytes', 'Free disk below which no report is begun.').set(freeBytesMin)
  const engineUp = gauge('adcube_engine_up', 'Whether the engine would answer a query.')
  const storeUp = gauge('adcube_store_up', 'Whether the control database answers.')
  const free = gauge('adcube_disk_free_bytes', 'Free disk for the folder.', 'folder')
  const size = gauge('adcube_disk_size_bytes', 'Size of its disk.', 'folder')
  const showFigures = figureGauges(registry)
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
  return async (): Promise<void> => void (await Promise.all(updates.map((update) => update())))
}

/** Adds gauges of the control data, which are the same on every node that shares them. */
function figureGauges(registry: Registry) {
  const { gauge } = metricsOf(registry)
  const jobs = gauge('adcube_jobs', 'Jobs that are queued or running, or ended within the last hour.', 'state')
  const oldest = gauge('adcube_oldest_job_age_seconds', 'Since the oldest was accepted, or begun; 0: none.', 'state')
  const loads = gauge('adcube_loads', 'Loads begun in the last 24 hours (of the newest 1,000).', 'cube', 'state')
  const rows = gauge('adcube_loaded_rows', 'Rows of the visible ones of these loads.', 'cube')
  const held = gauge('adcube_deletions_held', 'Whether data that is too old is kept until it is confirmed.', 'reason')
  const days = gauge('adcube_newest_day_timestamp_seconds', 'Begin of the newest day that is loaded.', 'cube')
  const damaged = gauge('adcube_verify_findings', 'Stored files of facts that differ from their recorded checksum.')

  return (seen: { readonly figures: Figures; readonly at: number } | undefined): void => {
    // Old values would look like current ones.
    for (const each of [jobs, oldest, loads, rows, days, held]) each.reset()
    damaged.remove()
    if (!seen) return
    const { figures, at } = seen
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
