import type { Cube } from '../catalog/cube.ts'
import { listLoads } from '../store/loads.ts'
import { print, table, tell } from './output.ts'
import { withStore, type StoreFlags } from './with-store.ts'

type Flags = StoreFlags & { readonly cube?: Cube; readonly limit: number; readonly before?: number }

export function listLoadsCommand(flags: Flags): Promise<number> {
  const { limit } = flags
  return withStore(flags, async (store) => {
    const loads = await listLoads(store, { cube: flags.cube?.name, before: flags.before, limit })
    const shown = loads.map((load) => ({
      id: load.id,
      cube: load.cube,
      outcome: load.state === 'visible' && load.visibleDays === 0 ? 'replaced' : load.state,
      mode: load.mode,
      by: load.loadedBy || null,
      started_at: new Date(load.startedAt).toISOString(),
      finished_at: load.finishedAt === null ? null : new Date(load.finishedAt).toISOString(),
      rows: load.rows,
      accounts: load.accounts,
      first_day: load.firstDay,
      last_day: load.lastDay,
      visible_days: load.visibleDays,
      failure_reason: load.failureReason,
      files: load.files,
      warnings: load.warnings,
    }))
    const rows = shown.map((load) => ({
      id: load.id,
      cube: load.cube,
      outcome: load.outcome,
      mode: load.mode,
      rows: load.rows,
      accounts: load.accounts,
      days: load.first_day === null ? null : `${load.first_day} to ${load.last_day}`,
      by: load.by,
      started: load.started_at.slice(0, 19).replace('T', ' '),
      files: nameFiles(load.files.map(({ name }) => name)),
    }))
    print(flags, shown, table(rows, 'Nothing has been loaded yet.'))
    for (const { id, failure_reason: reason } of shown) {
      if (reason !== null) tell(flags, `Load ${id} failed: ${reason.split('\n', 2).join(' ')}`)
    }
    if (loads.length === limit) tell(flags, `More: adcube loads --before ${loads.at(-1)?.id}`)
    return 0
  })
}

function nameFiles([first, ...rest]: readonly string[]): string | null {
  if (first === undefined) return null
  return rest.length === 0 ? first : `${first} and ${rest.length} more`
}
