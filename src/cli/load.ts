import { constants, setPriority, userInfo } from 'node:os'
import { pino } from 'pino'
import type { Cube } from '../catalog/cube.ts'
import type { FileFormat } from '../catalog/file-columns.ts'
import { loadFacts } from '../ingest/load-facts.ts'
import { describeFault, LoadRefused } from '../ingest/load-refused.ts'
import type { Loaded } from '../ingest/publish-facts.ts'
import { hasStore } from '../store/open-store.ts'
import { describeColumns } from './describe-columns.ts'
import { ProgressBar } from './progress-bar.ts'
import { openData } from './open-data.ts'
import { print, tell } from './output.ts'
import { readSettings, SettingsError } from './settings.ts'
import type { Closers } from './until-stopped.ts'
import type { StoreFlags } from './with-store.ts'

const interrupted = 'Interrupted; nothing was loaded.'
/** Nothing but a system call that never returns, such as the opening of a pipe without a writer, takes longer to stop. */
const stopMsMax = 5_000

function endAtOnce(): void {
  process.stderr.write(`adcube: ${interrupted}\n`)
  // A clean exit would wait for that call.
  process.kill(process.pid, 'SIGKILL')
}

type Flags = StoreFlags & {
  readonly append?: boolean
  readonly strict?: boolean
  readonly createAccounts?: boolean
  readonly format?: FileFormat
  readonly repeat?: boolean
  readonly describe?: boolean
  readonly templates?: string
}

export async function loadCommand(flags: Flags, cube: Cube, files: readonly string[]): Promise<number> {
  if (flags.describe === true) return describeColumns(flags, cube)
  if (files.length === 0) throw new SettingsError(['Specify at least one FILE. See adcube load --help.'])

  const settings = readSettings(process.env, flags)
  const { dataDir: folder, databaseUrl } = settings
  if (flags.createAccounts !== true && !hasStore({ folder, databaseUrl })) {
    throw new Error(`There is no Adcube data in the folder ${folder}. Specify another one with --data-dir.`)
  }
  const stop = new AbortController()
  const interrupt = (): void => {
    stop.abort(new Error(interrupted))
    setTimeout(endAtOnce, stopMsMax).unref()
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const log = pino({ level: 'warn', base: null }, pino.destination({ fd: 2, sync: true }))
  const closers: Closers = []
  const bar = new ProgressBar(process.stderr, Date.now)
  try {
    const data = await openData(settings, log, closers)
    // Whoever waits for an answer goes first. Set before the engine makes its threads, so that all of them have it.
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
    const loaded = await loadFacts({ ...data, now: Date.now }, cube, files, {
      mode: flags.append === true ? 'append' : 'replace',
      loadedBy: userName(),
      isStrict: flags.strict === true,
      mayCreateAccounts: flags.createAccounts === true,
      mayRepeat: flags.repeat === true,
      format: flags.format,
      signal: stop.signal,
      ...(flags.json !== true && { onProgress: (progress) => bar.show(progress) }),
    })
    bar.end()
    report(flags, cube.alias, loaded)
    return 0
  } catch (error) {
    bar.end()
    if (error instanceof LoadRefused && flags.json === true) {
      print(flags, { faults: error.faults, count: error.count }, '')
    }
    throw error
  } finally {
    for (const close of closers) await close()
  }
}

function report(flags: Flags, cube: string, loaded: Loaded): void {
  const { id, rows, accounts, days, firstDay, lastDay, created, warnings, repeated } = loaded
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
  for (const account of created) tell(flags, `Created the account ${account}`)
  if (warnings.count > 0) {
    tell(flags, `${count(warnings.count)} ${warnings.count === 1 ? 'warning' : 'warnings'}, loaded anyway:`)
    for (const warning of warnings.first) tell(flags, `  ${describeFault(warning)}`)
    if (warnings.count > warnings.first.length) {
      tell(flags, `  and ${count(warnings.count - warnings.first.length)} more; --strict rejects them`)
    }
  }
  const range = firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`
  const text =
    repeated === undefined
      ? `Load ${id}: ${count(rows)} ${rows === 1 ? 'row' : 'rows'} of ${cube}, ${range}, ${accounts} ${accounts === 1 ? 'account' : 'accounts'}\n`
      : `These files were already loaded, in load ${repeated}; nothing was added (--repeat loads them again)\n`
  print(flags, shown, text)
}

const count = (value: number): string => value.toLocaleString('en-US')

/** A user without a name, as containers have, is nobody in the record. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}
