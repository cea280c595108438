import { pino } from 'pino'
import { verify } from '../backup/verify.ts'
import { openFolderStorage } from '../reports/folder-storage.ts'
import { hasStore } from '../store/open-store.ts'
import { onInterrupt } from './interruption.ts'
import { openData } from './open-data.ts'
import { print, tell } from './output.ts'
import { ProgressBar } from './progress-bar.ts'
import { readSettings } from './settings.ts'
import type { Closers } from './until-stopped.ts'
import type { StoreFlags } from './with-store.ts'

export async function verifyCommand(flags: StoreFlags): Promise<number> {
  const settings = readSettings(process.env, flags)
  const { dataDir: folder, databaseUrl } = settings
  if (!hasStore({ folder, databaseUrl })) {
    throw new Error(`There is no Adcube data in the folder ${folder}. Specify another one with --data-dir.`)
  }
  const signal = onInterrupt('Interrupted; not everything was verified.')
  const log = pino({ level: 'error', base: null }, pino.destination({ fd: 2, sync: true }))
  const closers: Closers = []
  const bar = new ProgressBar(process.stderr, Date.now)
  try {
    const data = await openData(settings, log, closers)
    const storage = await openFolderStorage(settings.reportsFolder)
    const onProgress = (step: string, share: number): void => {
      if (flags.json !== true) bar.show({ step, share })
    }
    const verified = await verify({ ...data, storage }, { signal, onProgress })
    bar.end()
    const { portions, unrecorded, reports, findings, first } = verified
    const lines = first.map(({ place, reason }) => `${place} ${reason}\n`)
    print(flags, { portions, unrecorded, reports, findings: first, count: findings }, lines.join(''))
    if (findings > first.length) tell(flags, `and ${count(findings - first.length)} more`)
    if (unrecorded > 0) {
      tell(
        flags,
        `Checked for presence only, because they have no recorded checksum: ${count(unrecorded)} account days`,
      )
    }
    const checked = `${count(portions)} account days of facts, ${count(reports)} reports`
    tell(flags, findings === 0 ? `No findings in ${checked}` : `Findings: ${count(findings)} in ${checked}`)
    return findings === 0 ? 0 : 1
  } finally {
    bar.end()
    for (const close of closers) await close()
  }
}

const count = (value: number): string => value.toLocaleString('en-US')
