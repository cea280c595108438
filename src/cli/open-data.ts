import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Facts } from '../facts/facts.ts'
import { openFacts } from '../facts/open-facts.ts'
import { openStore, type Store } from '../store/open-store.ts'
import { findSecret } from '../store/secrets.ts'
import type { Settings } from './settings.ts'
import type { Closers } from './until-stopped.ts'

export type Data = {
  readonly store: Store
  readonly facts: Facts
  readonly draftsFolder: string
  readonly rollupFacts: number
}

/** Opens the control data and the facts where the settings say they are, and makes sure that they belong together. */
export async function openData(settings: Settings, log: Logger, closers: Closers): Promise<Data> {
  // The engine compares paths by their text.
  const folder = resolve(settings.dataDir)
  const store = await openStore({ folder, databaseUrl: settings.databaseUrl })
  closers.unshift(() => store.destroy())
  const owner = (await findSecret(store, 'engine-owner')).toString('hex')
  const facts = await openFacts(
    {
      folder,
      owner,
      clickhouseUrl: settings.clickhouseUrl,
      clickhouseReaderUrl: settings.clickhouseReaderUrl,
      queryMsMax: settings.querySeconds * 1_000,
      queryMemoryMb: settings.queryMemoryMb,
      exportMemoryMb: settings.exportMemoryMb,
    },
    log,
  )
  closers.unshift(() => facts.close())
  return { store, facts, draftsFolder: join(folder, 'drafts'), rollupFacts: settings.rollupFacts }
}
