import type { Command } from '@commander-js/extra-typings'
import { withSettings } from '../options.ts'
import { readSettings, requireSafeHost } from '../settings.ts'

export const define = (command: Command) =>
  withSettings(
    command.option('--demo', 'Fill an empty data folder with sample data of three publishers, and keep it up to date'),
  ).action(async ({ demo = false, ...flags }) => {
    const settings = readSettings(process.env, flags)
    requireSafeHost(settings)
    const { runServer } = await import('../service/run-service.ts')
    await runServer(settings, { isDemo: demo })
  })
