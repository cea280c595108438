import { join, resolve } from 'node:path'
import { pino, type Logger } from 'pino'
import { openFacts } from '../facts/open-facts.ts'
import { openStore } from '../store/open-store.ts'
import { findSecret } from '../store/secrets.ts'
import type { Settings } from './settings.ts'

/** Opens the control data and the facts, and makes sure that they belong together. The stack closes them. */
export async function openData(settings: Settings, log: Logger, opened: AsyncDisposableStack) {
  // The engine compares paths by their text.
  const folder = resolve(settings.dataDir)
  const store = opened.use(await openStore({ folder, databaseUrl: settings.databaseUrl }))
  const owner = (await findSecret(store, 'engine-owner')).toString('hex')
  const queryMsMax = settings.querySeconds * 1_000
  const facts = await openFacts({ ...settings, folder, owner, queryMsMax }, log)
  opened.defer(() => facts.close())
  return {
    store,
    facts,
    draftsFolder: join(folder, 'drafts'),
    rollupFacts: settings.rollupFacts,
    spillMb: settings.spillMb,
  }
}

/** Opens a log on stderr whose lines are written at once. */
export const openLog = (level: string): Logger => pino({ level, base: null }, pino.destination({ fd: 2, sync: true }))
