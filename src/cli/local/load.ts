import { constants, setPriority, userInfo } from 'node:os'
import { Option, type Command } from '@commander-js/extra-typings'
import { fileFormats } from '../../ingest/file-columns.ts'
import type { Loaded } from '../../ingest/load-facts.ts'
import { describeFault, LoadRefused } from '../../ingest/load-refused.ts'
import { examples, withDetails } from '../command.ts'
import { cubeArgument, dataDir, json } from '../options.ts'
import { requireControlData } from '../control-data.ts'
import { abortOnInterrupt } from '../interrupt.ts'
import { formatCount, note, print, type OutputFlags } from '../output.ts'
import { openProgress } from '../progress-bar.ts'
import { readSettings, readStorePlace, UsageError } from '../settings.ts'

/** Only a system call that never returns takes longer to stop, such as opening a pipe without a writer. */
const stopMsMax = 5_000

export const define = (command: Command) =>
  withDetails(
    command,
    'Reads Parquet, CSV with a header, or NDJSON, plain or compressed with gzip or zstd. For each account, the days in ' +
      'the files are replaced, all at once, when everything is stored and valid. If anything is wrong, nothing changes.',
  )
    .addArgument(cubeArgument('<cube>'))
    .argument('[files...]', "Files, patterns such as 'facts/*.parquet', - for standard input, or http(s):// addresses")
    .option('--append', 'Add rows instead of replacing days')
    .option('--strict', 'Reject impossible rows, such as more clicks than impressions, instead of warning')
    .option('--create-accounts', 'Create unknown accounts instead of rejecting their rows')
    .addOption(new Option('--format <format>', 'Format, if it cannot be detected').choices(fileFormats))
    .option('--repeat', 'Append files even if they were appended before')
    .option('--describe', 'Print the columns that files of the cube can have')
    .option('--templates <folder>', 'With --describe: write an example in each format to this folder')
    .addOption(dataDir)
    .addHelpText(
      'after',
      examples(
        'adcube load auctions facts/2026-11-18.parquet',
        "adcube load auctions 'facts/*.csv.gz' --append --create-accounts",
        'adcube load --describe auctions --templates examples',
      ),
    )
    .addOption(json)
    .action(async (cube, files, flags) => {
      if (flags.describe === true) {
        const { describeColumns } = await import('./describe-columns.ts')
        return describeColumns(flags, cube)
      }
      if (files.length === 0) throw new UsageError('Specify at least one FILE. See adcube load --help.')
      const settings = readSettings(process.env, flags)
      if (flags.createAccounts !== true) await requireControlData(readStorePlace(process.env, flags))
      const signal = abortOnInterrupt('Interrupted; nothing was loaded.', stopMsMax)
      const [{ loadFacts }, { openData, openLog }] = await Promise.all([
        import('../../ingest/load-facts.ts'),
        import('../open-data.ts'),
      ])
      await using opened = new AsyncDisposableStack()
      using bar = openProgress(flags)
      const data = await openData(settings, openLog('warn'), opened)
      // Queries go first. Set before the engine makes its threads, so that all of them have it.
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
      try {
        const loaded = await loadFacts(data, cube, files, {
          mode: flags.append === true ? 'append' : 'replace',
          loadedBy: userName(),
          isStrict: flags.strict === true,
          mayCreateAccounts: flags.createAccounts === true,
          mayRepeat: flags.repeat === true,
          format: flags.format,
          signal,
          onProgress: (progress) => bar.show(progress),
        })
        bar.end()
        printLoaded(flags, cube.alias, loaded)
      } catch (error) {
        bar.end()
        if (error instanceof LoadRefused && flags.json === true) {
          print(flags, { faults: error.faults, count: error.count }, '')
        }
        throw error
      }
    })

function printLoaded(flags: OutputFlags, cube: string, loaded: Loaded): void {
  const { id, rows, accounts, days, firstDay, lastDay, created, warnings, repeated } = loaded
  for (const account of created) note(flags, `Created the account ${account}`)
  if (warnings.count > 0) {
    note(flags, `${formatCount(warnings.count)} ${warnings.count === 1 ? 'warning' : 'warnings'}, loaded anyway:`)
    for (const warning of warnings.first) note(flags, `  ${describeFault(warning)}`)
    if (warnings.count > warnings.first.length) {
      note(flags, `  and ${formatCount(warnings.count - warnings.first.length)} more; --strict rejects them`)
    }
  }
  const range = firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`
  const counts = `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'} of ${cube}, ${range}, ${accounts} ${accounts === 1 ? 'account' : 'accounts'}`
  const shown = {
    load: id,
    cube,
    rows,
    accounts,
    days,
    first_day: firstDay,
    last_day: lastDay,
    created_accounts: created,
    warnings: warnings.count,
    repeats_load: repeated ?? null,
  }
  const text =
    repeated === undefined
      ? `Load ${id}: ${counts}\n`
      : `These files were already loaded, in load ${repeated}; nothing was added (--repeat loads them again)\n`
  print(flags, shown, text)
}

/** Returns the name of the user, or nothing in containers where the user has none. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}
