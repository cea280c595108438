import { userInfo } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import type { FileFormat } from '../engine/compile-intake.ts'
import { loadFacts } from '../ingest/load-facts.ts'
import { describeFault, LoadRefused } from '../ingest/load-refused.ts'
import type { Loaded } from '../ingest/publish-facts.ts'
import { silentMsMax } from '../ingest/sweep-facts.ts'
import { findLoadUnderWay } from '../store/loads.ts'
import { hasStore, type Store } from '../store/open-store.ts'
import type { Command, Flags } from './command.ts'
import { demandCube } from './demand-cube.ts'
import { describeColumns } from './describe-columns.ts'
import { LoadBar } from './load-bar.ts'
import { openData } from './open-data.ts'
import { print, tell } from './output.ts'
import { readSettings, SettingsError } from './settings.ts'
import type { Closers } from './until-stopped.ts'
import { storeOptions } from './with-store.ts'

const formats: Readonly<Record<string, FileFormat>> = {
  parquet: 'Parquet',
  csv: 'CSVWithNames',
  ndjson: 'JSONEachRow',
}

export const loadCommand: Command = {
  usage: `adcube load CUBE FILE… [--append] [--strict] [--create-accounts] [--format FORMAT] [--repeat] [--data-dir DIR] [--json]
adcube load --describe CUBE [--templates FOLDER] [--json]

Takes in Parquet, CSV with a header, or NDJSON, plain or packed with gzip or zstd. FILE is a file, a pattern such as
'facts/*.parquet', - for standard input, or an http(s):// or s3:// address. The days of the accounts that the files hold
are replaced, all at once, when everything is stored and found right; if anything is wrong, nothing changes.

  --append            Adds to what is there instead
  --strict            Refuses rows that cannot be, such as more clicks than impressions; else they are warned of
  --create-accounts   Makes the accounts that there are not yet; else their rows are refused
  --format            parquet, csv or ndjson, where neither the name nor the beginning of a file tells
  --repeat            Appends even files that were appended before
  --describe          Prints the columns that the files of a cube have
  --templates         Writes an example in each format to this folder, too`,
  options: {
    append: { type: 'boolean' },
    strict: { type: 'boolean' },
    'create-accounts': { type: 'boolean' },
    format: { type: 'string' },
    repeat: { type: 'boolean' },
    describe: { type: 'boolean' },
    templates: { type: 'string' },
    ...storeOptions,
  },
  operands: ['CUBE', 'FILE…'],

  async run(flags, name = '', ...files) {
    const cube = demandCube(name)
    if (flags.describe === true) return describeColumns(flags, cube)
    if (files.length === 0) throw new SettingsError(['Give at least one FILE; adcube load --help says more.'])
    const format = typeof flags.format === 'string' ? formats[flags.format] : undefined
    if (flags.format !== undefined && !format) throw new SettingsError(['--format is parquet, csv or ndjson.'])

    const settings = readSettings(process.env, flags)
    const { dataDir: folder, databaseUrl } = settings
    if (flags['create-accounts'] !== true && !hasStore({ folder, databaseUrl })) {
      throw new Error(`There is no Adcube in the folder ${folder}; name another with --data-dir.`)
    }
    const stop = new AbortController()
    const interrupt = (): void => stop.abort(new Error('Interrupted; nothing was loaded.'))
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
    const log = pino({ level: 'warn', base: null }, pino.destination({ fd: 2, sync: true }))
    const closers: Closers = []
    const bar = new LoadBar(process.stderr, Date.now)
    try {
      tell(flags, 'Opening the engine')
      const { engine, store } = await openData(settings, log, closers, { mayBorrow: true })
      if (engine.pid !== undefined) closers.unshift(() => outlastOthers(store, flags))
      const loaded = await loadFacts({ engine, store, now: Date.now }, cube, files, {
        mode: flags.append === true ? 'append' : 'replace',
        loadedBy: userName(),
        isStrict: flags.strict === true,
        mayCreateAccounts: flags['create-accounts'] === true,
        mayRepeat: flags.repeat === true,
        format,
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
  },
}

/** Whoever came to load while the engine was ours has borrowed it. */
async function outlastOthers(store: Store, flags: Flags): Promise<void> {
  let isTold = false
  for (;;) {
    const load = await findLoadUnderWay(store, Date.now() - silentMsMax).catch(() => undefined)
    if (load === undefined) return
    if (!isTold) tell(flags, `Waiting for load ${load}, which uses the same engine`)
    isTold = true
    await delay(500)
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
  for (const account of created) tell(flags, `Made the account ${account}`)
  if (warnings.count > 0) {
    tell(flags, `${count(warnings.count)} ${warnings.count === 1 ? 'warning' : 'warnings'}, taken in all the same:`)
    for (const warning of warnings.first) tell(flags, `  ${describeFault(warning)}`)
    if (warnings.count > warnings.first.length) {
      tell(flags, `  and ${count(warnings.count - warnings.first.length)} more; --strict refuses them`)
    }
  }
  const range = firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`
  const text =
    repeated === undefined
      ? `Load ${id}: ${count(rows)} ${rows === 1 ? 'row' : 'rows'} of ${cube}, ${range}, ${accounts} ${accounts === 1 ? 'account' : 'accounts'}\n`
      : `These files are in already, since load ${repeated}; nothing was added (--repeat adds them again)\n`
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
