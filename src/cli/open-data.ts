import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pino, type Logger } from 'pino'
import { openCopyOfStore } from '../backup/copy-of-store.ts'
import type { Damage } from '../facts/facts.ts'
import { openFacts } from '../facts/open-facts.ts'
import { reportsIn } from '../reports/storage.ts'
import { openClock } from '../store/clock.ts'
import { recordDamage } from '../store/damaged-files.ts'
import { openStore } from '../store/open-store.ts'
import { findSecret } from '../store/secrets.ts'
import type { Settings } from './settings.ts'

/** Opens the control data with their clock, and the facts, and makes sure that they belong together. The stack closes them. */
export async function openData(settings: Settings, log: Logger, opened: AsyncDisposableStack) {
  // The engine compares paths by their text.
  const folder = resolve(settings.dataDir)
  const store = opened.use(await openStore({ folder, databaseUrl: settings.databaseUrl }))
  const clock = await openClock(store)
  opened.defer(() => clock.stop())
  const owner = (await findSecret(store, 'engine-owner')).toString('hex')
  const queryMsMax = settings.querySeconds * 1_000
  const onDamage = (damage: Damage): void => {
    recordDamage(store, damage, clock.now()).catch((err: unknown) => log.error({ err }, 'damage could not be recorded'))
  }
  const facts = await openFacts({ ...settings, folder, owner, queryMsMax, onDamage }, log)
  opened.defer(() => facts.close())
  const draftsFolder = join(folder, 'drafts')
  const { rollupFacts, spillMb } = settings
  return { store, now: clock.now, facts, owner, draftsFolder, rollupFacts, spillMb }
}

/** Opens the control data, the facts and the reports to check them. Those in files are not changed in any way. */
export async function openToCheck(settings: Settings, log: Logger, opened: AsyncDisposableStack) {
  const folder = resolve(settings.dataDir)
  const { databaseUrl } = settings
  const spillIn = await mkdtemp(join(tmpdir(), 'adcube-'))
  opened.defer(() => rm(spillIn, { recursive: true, force: true }))
  const control =
    databaseUrl === undefined
      ? opened.use(await openCopyOfStore(folder, spillIn))
      : { store: opened.use(await openStore({ folder, databaseUrl })), renew: async () => {} }
  const owner = (await findSecret(control.store, 'engine-owner')).toString('hex')
  const facts = await openFacts({ ...settings, folder, owner, spillIn, queryMsMax: settings.querySeconds * 1_000 }, log)
  opened.defer(() => facts.close())
  return { control, facts, storage: reportsIn(settings.reports) }
}

/** Opens a log on stderr whose lines are written at once. */
export const openLog = (level: string): Logger => pino({ level, base: null }, pino.destination({ fd: 2, sync: true }))
