/** One of several processes that answer HTTP requests on one port. What a server has one of, it asks the first process for. */
import { resolve } from 'node:path'
import type { Deps } from '../../http/services.ts'
import { endWithParent } from '../../processes/end-with-parent.ts'
import { answer, Exchange } from '../../processes/exchange.ts'
import { openFolderStorage } from '../../reports/folder-storage.ts'
import { openStore } from '../../store/open-store.ts'
import type { Settings } from '../settings.ts'
import { closeAll, type Closers } from '../until-stopped.ts'
import { openLog } from './open-log.ts'
import { serveHttp } from './serve-http.ts'
import { borrowParts, type FirstProcess, type PartsAsTheyAre } from './shared-parts.ts'

export type HttpOrder = PartsAsTheyAre & { readonly settings: Settings } & Pick<Deps, 'tls'>

endWithParent()
const first = new Exchange<FirstProcess>(process)
const closers: Closers = []

const service = {
  /** Returns the address as soon as it answers. */
  async start({ settings, tls, ...asTheyAre }: HttpOrder): Promise<string> {
    const { logLevel, dataDir, databaseUrl, reportsFolder } = settings
    const log = openLog(logLevel, { pid: process.pid })
    const store = await openStore({ folder: resolve(dataDir), databaseUrl })
    closers.unshift(() => store.destroy())
    const storage = await openFolderStorage(reportsFolder)
    return serveHttp(settings, { ...borrowParts(first, asTheyAre), store, storage, log, tls }, closers)
  },

  async stop(): Promise<void> {
    await closeAll(closers)
    process.exit(0)
  },
}

export type HttpProcess = typeof service

answer(process, service)
