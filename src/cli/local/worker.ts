import type { Command } from '@commander-js/extra-typings'
import { withDetails } from '../command.ts'
import { withSettings } from '../options.ts'
import { readSettings, UsageError } from '../settings.ts'

export const define = (command: Command) =>
  withSettings(
    withDetails(
      command,
      'It shares jobs and housekeeping with the servers that use the same data folder, or the same control data, ' +
        'ClickHouse and reports folder.',
    ),
  ).action(async (flags) => {
    const settings = readSettings(process.env, flags)
    if (settings.exports === 0) throw new UsageError('ADCUBE_EXPORTS is 0, so a worker would have nothing to do.')
    const { runWorker } = await import('../service/run-service.ts')
    await runWorker(settings)
  })
