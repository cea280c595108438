import type { Command } from '@commander-js/extra-typings'
import type { Cube } from '../../catalog/cube.ts'
import { cubes } from '../../catalog/cubes.ts'
import { dayOf } from '../../query/day.ts'
import { withDetails } from '../command.ts'
import { cubeOption, dataDir, json } from '../options.ts'
import { openControlData, readTime } from '../control-data.ts'
import { note, printTable, type OutputFlags } from '../output.ts'
import { parsed, whole } from '../parsers.ts'

export const define = (command: Command) =>
  withDetails(command, 'The newest come first. --json includes the files, with checksums, and the warnings.')
    .addOption(cubeOption)
    .option('--stale', 'Instead of loads, list the accounts whose last loaded day is older than two days')
    .option('--limit <number>', 'How many, 1 to 100', parsed(whole(1, 100)), 50)
    .option('--before <load>', 'Only loads before this one, for the next page', parsed(whole(1)))
    .addOption(dataDir)
    .addOption(json)
    .action(async ({ cube, limit, before, stale, ...flags }) => {
      if (stale === true) return printStale(flags, cube === undefined ? cubes : [cube])
      const { listLoads } = await import('../../ingest/list-loads.ts')
      await using store = await openControlData(flags)
      const loads = await listLoads(store, { cube: cube?.name, before, limit })
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
        ...load,
        days: load.first_day === null ? null : `${load.first_day} to ${load.last_day}`,
        started: load.started_at.slice(0, 19).replace('T', ' '),
        files: nameFiles(load.files.map(({ name }) => name)),
      }))
      await printTable(flags, rows, {
        columns: ['id', 'cube', 'outcome', 'mode', 'rows', 'accounts', 'days', 'by', 'started', 'files'],
        data: shown,
        none: 'Nothing has been loaded yet.',
      })
      for (const { id, failure_reason: reason } of shown) {
        if (reason !== null) note(flags, `Load ${id} failed: ${reason.split('\n', 2).join(' ')}`)
      }
      if (loads.length === limit) note(flags, `More: adcube loads --before ${loads.at(-1)?.id}`)
    })

async function printStale(flags: OutputFlags & { dataDir?: string | undefined }, of: readonly Cube[]): Promise<void> {
  const { listStale } = await import('../../store/list-stale.ts')
  await using store = await openControlData(flags)
  const today = dayOf(await readTime(store))
  const rows = []
  for (const cube of of) {
    for (const { account, lastDay } of await listStale(store, cube, today)) {
      rows.push({ account, cube: cube.alias, last_day: lastDay })
    }
  }
  await printTable(flags, rows, { none: 'All enabled accounts have data of the last two days.' })
}

function nameFiles([first, ...rest]: readonly string[]): string | null {
  if (first === undefined) return null
  return rest.length === 0 ? first : `${first} and ${rest.length} more`
}
