import type { Command } from '@commander-js/extra-typings'
import { withDetails } from '../command.ts'
import { dataDir, json } from '../options.ts'
import { requireControlData } from '../control-data.ts'
import { abortOnInterrupt } from '../interrupt.ts'
import { formatCount, note, print } from '../output.ts'
import { openProgress } from '../progress-bar.ts'
import { readSettings, readStorePlace } from '../settings.ts'

export const define = (command: Command) =>
  withDetails(
    command,
    'It lists missing, changed and stray files; with ClickHouse, it compares the number of rows. Servers, workers and ' +
      'loads can keep running. The exit code is 0 if there are no findings. To verify a backup, use --data-dir BACKUP: ' +
      'nothing in it is changed, and it can be read-only.',
  )
    .addOption(dataDir)
    .addOption(json)
    .action(async (flags) => {
      const settings = readSettings(process.env, flags)
      await requireControlData(readStorePlace(process.env, flags))
      const [{ verify }, { openToCheck, openLog }] = await Promise.all([
        import('../../backup/verify.ts'),
        import('../open-data.ts'),
      ])
      const signal = abortOnInterrupt('Interrupted; not everything was verified.')
      await using opened = new AsyncDisposableStack()
      using bar = openProgress(flags)
      const data = await openToCheck(settings, openLog('error'), opened)
      const onProgress = (step: string, share: number): void => bar.show({ step, share })
      const verified = await verify(data, { signal, onProgress })
      bar.end()
      const { portions, unrecorded, reports, findings, first } = verified
      const lines = first.map(({ place, reason }) => `${place} ${reason}\n`)
      print(flags, { portions, unrecorded, reports, findings: first, count: findings }, lines.join(''))
      if (findings > first.length) note(flags, `and ${formatCount(findings - first.length)} more`)
      if (unrecorded > 0) {
        note(
          flags,
          `Checked for presence only, because they have no recorded checksum: ${formatCount(unrecorded)} account days`,
        )
      }
      const checked = `${formatCount(portions)} account days of facts, ${formatCount(reports)} reports`
      note(flags, findings === 0 ? `No findings in ${checked}` : `Findings: ${formatCount(findings)} in ${checked}`)
      if (findings > 0) process.exitCode = 1
    })
