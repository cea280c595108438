import { listLoads } from '../store/loads.ts'
import type { Command, Flags } from './command.ts'
import { demandCube } from './demand-cube.ts'
import { print, table, tell } from './output.ts'
import { SettingsError } from './settings.ts'
import { storeOptions, withStore } from './with-store.ts'

const limitDefault = 50
const limitMax = 100

export const listLoadsCommand: Command = {
  usage: `adcube loads [--cube CUBE] [--limit N] [--before ID] [--data-dir DIR] [--json]

  --cube     Only the loads of this cube
  --limit    How many, 1 to ${limitMax} (${limitDefault})
  --before   Only loads before this one, for the next page

The newest come first. --json tells their files with checksums and their warnings, too.`,
  options: {
    cube: { type: 'string' },
    limit: { type: 'string' },
    before: { type: 'string' },
    ...storeOptions,
  },
  async run(flags) {
    const cube = typeof flags.cube === 'string' ? demandCube(flags.cube).name : undefined
    const limit = readWhole(flags, 'limit', limitMax) ?? limitDefault
    const before = readWhole(flags, 'before', Number.MAX_SAFE_INTEGER)
    return withStore(flags, async (store) => {
      const loads = await listLoads(store, { cube, before, limit })
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
      print(flags, shown, table(rows, 'Nothing was loaded yet.'))
      for (const { id, failure_reason: reason } of shown) {
        if (reason !== null) tell(flags, `Load ${id} failed: ${reason.split('\n', 2).join(' ')}`)
      }
      if (loads.length === limit) tell(flags, `More: adcube loads --before ${loads.at(-1)?.id}`)
      return 0
    })
  },
}

function nameFiles([first, ...rest]: readonly string[]): string | null {
  if (first === undefined) return null
  return rest.length === 0 ? first : `${first} and ${rest.length} more`
}

function readWhole(flags: Flags, name: string, max: number): number | undefined {
  const text = flags[name]
  if (typeof text !== 'string') return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value
  throw new SettingsError([`--${name} is a whole number from 1 to ${max}.`])
}
