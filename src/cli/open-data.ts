import { join } from 'node:path'
import type { Logger } from 'pino'
import { claimEngine } from '../engine/claim-engine.ts'
import { borrowOrOpenEngine, openEngine, type Engine } from '../engine/engine.ts'
import { migrateEngine } from '../engine/migrate.ts'
import { openStore, type Store } from '../store/open-store.ts'
import { findSecret } from '../store/secrets.ts'
import type { Settings } from './settings.ts'
import type { Closers } from './until-stopped.ts'

/** Opens the control data and the engine, as the settings say where they are, and makes sure that they belong together. */
export async function openData(
  settings: Settings,
  log: Logger,
  closers: Closers,
  /** Of a running server, where there is one. */
  { mayBorrow = false }: { readonly mayBorrow?: boolean } = {},
): Promise<{ readonly store: Store; readonly engine: Engine }> {
  const store = await openStore({ folder: settings.dataDir, databaseUrl: settings.databaseUrl })
  closers.unshift(() => store.destroy())
  const open = mayBorrow ? borrowOrOpenEngine : openEngine
  const engine = await open({
    folder: join(settings.dataDir, 'engine'),
    node: settings.engineNode,
    url: settings.clickhouseUrl,
    readerUrl: settings.clickhouseReaderUrl,
    log,
  })
  closers.unshift(() => engine.close())
  // First: another's database is left as it is.
  await claimEngine(engine, (await findSecret(store, 'engine-owner')).toString('hex'))
  await migrateEngine(engine, log)
  return { store, engine }
}
