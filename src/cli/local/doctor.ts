import type { Command } from '@commander-js/extra-typings'
import { withDetails } from '../command.ts'
import { json, withSettings } from '../options.ts'
import { print } from '../output.ts'

export const define = (command: Command) =>
  withSettings(
    withDetails(
      command,
      'It says what to change, and changes nothing itself. Run it as the same user and with the same settings as the ' +
        'server, which may be running or not.',
    ),
  )
    .addOption(json)
    .action(async (flags) => {
      const { examine } = await import('../doctor/examine.ts')
      const checks = await examine(process.env, flags)
      const lines = checks.map(({ name, status, detail }) => `${status.padEnd(6)}${name.padEnd(16)}${detail}\n`)
      const hasFailed = checks.some(({ status }) => status === 'fail')
      print(flags, { healthy: !hasFailed, checks }, lines.join(''))
      if (hasFailed) process.exitCode = 1
    })
