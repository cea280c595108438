import { mkdir, rename, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { WaitingLine } from '../../concurrency/waiting-line.ts'
import { openDuckdb } from '../../duckdb/open-duckdb.ts'
import { openSpillFolder } from '../../duckdb/spill-folder.ts'
import { FactsError, withDeadline } from '../errors.ts'
import { FactFolder } from '../fact-folder.ts'
import type { EngineSettings, Facts } from '../facts.ts'
import { checkFiles } from './check-files.ts'
import { chooseFiles } from './choose-files.ts'
import { runExport } from './export-process.ts'
import { findDamage } from './find-damage.ts'
import { mergeDays, removeMerged } from './merged-files.ts'
import { OpenedFiles } from './opened-files.ts'
import { QueryProcess } from './query-process.ts'
import { toFactsError } from './trouble.ts'
import { removeIfEmpty, syncFolder, syncTree } from '../sync-tree.ts'

/** Servers, workers and loaders may share the data folder. */
export type DuckdbSettings = EngineSettings & {
  readonly folder: string
  /** A folder for what does not fit into memory. If it is set, nothing in the data folder is changed to open it. */
  readonly spillIn?: string
}

/** After this wait, the caller is asked to retry. */
const waitMsMax = 10_000
const waitingMax = 1_024
const waitingOfAccountMax = 64

/** The query process is started by `start`, because loaders do not need it. */
export async function openDuckdbFacts(settings: DuckdbSettings, log: Logger): Promise<Facts> {
  const folder = new FactFolder(settings.folder)
  const { root } = folder
  if (settings.spillIn === undefined) await folder.claim(settings.owner)
  else await folder.demandOwner(settings.owner)
  const spill = await openSpillFolder(settings.spillIn ?? settings.folder)
  const cores = availableParallelism()
  const line = new WaitingLine({ places: cores, placesOfOthers: 1, waitingMax, waitingOfNameMax: waitingOfAccountMax })
  const opened = new OpenedFiles(folder, (damage) => {
    log.error(damage, 'stored file is damaged')
    settings.onDamage?.(damage)
  })
  const { queryMemoryMb, exportMemoryMb, spillMb: spillMbMax } = settings
  const queries = new QueryProcess({ memoryMb: queryMemoryMb, spillMbMax, threads: cores, folders: [root] }, spill, log)

  return {
    distinctCountError: 0,

    start: () => queries.start(),

    async readRows(query, scope, { id, signal, onBegin }) {
      const waited = AbortSignal.timeout(waitMsMax)
      const leave = await line.enter(scope.account, AbortSignal.any([signal, waited])).catch((error: unknown) => {
        throw new FactsError(signal.aborted ? 'cancelled' : 'busy', error)
      })
      onBegin?.()
      try {
        return await withDeadline({ msMax: settings.queryMsMax, signal, toFactsError }, async (aborted) => {
          const { limit } = query
          const { statement, readFrom } = await chooseFiles({ folder, opened }, query, scope, limit + 1)
          const caller = { reqId: id, account: scope.account }
          return { ...(await queries.ask({ ...statement, limit }, aborted, caller)), readFrom }
        })
      } finally {
        leave()
      }
    },

    async writeCsv(query, scope, target, options) {
      await using own = await spill.open()
      const limits = { memoryMb: exportMemoryMb, spillMbMax, threads: 1 }
      const duckdb = { ...limits, spillFolder: own.path, folders: [root, own.path] }
      const { statement } = await chooseFiles({ folder, opened }, query, scope, query.limit)
      // Without await, the folder would be removed too early.
      return await runExport({ duckdb, statement }, target, options)
    },

    async addLoad({ cube, load, files, folder: draft }) {
      const place = folder.folderOfLoad(cube, load)
      await syncTree(draft)
      await mkdir(dirname(place), { recursive: true, mode: 0o700 })
      // Control data restored from a backup reuse the numbers of later loads, whose facts nobody needs.
      for (const { account, day } of files) await removeMerged(folder, cube, { account, day, load })
      await rm(place, { recursive: true, force: true })
      await rename(draft, place)
      await syncFolder(dirname(place))
      await syncFolder(root)
    },

    async mergeDays(cube, days) {
      await using own = await spill.open()
      await mergeDays(folder, cube, days, { memoryMb: exportMemoryMb, spillFolder: own.path })
    },

    findDamage: (cube, day) => findDamage(folder, cube, day),

    async removeLoads(cube, loads) {
      for (const load of loads) await rm(folder.folderOfLoad(cube, load), { recursive: true, force: true })
    },

    async removePortions(cube, portions) {
      for (const portion of portions) {
        const file = folder.fileOfPortion(cube, portion)
        await rm(dirname(file), { recursive: true, force: true })
        await removeMerged(folder, cube, portion)
        await removeIfEmpty(dirname(dirname(file)))
        await removeIfEmpty(folder.folderOfLoad(cube, portion.load))
      }
    },

    async check(recordsOf, options) {
      await using own = await spill.open()
      const duckdb = { memoryMb: settings.exportMemoryMb, threads: 1, spillFolder: own.path, folders: [root] }
      await checkFiles(folder, recordsOf, { ...options, openEngine: () => openDuckdb(duckdb) })
    },

    isUp: async () => queries.isUp,

    stats: () => queries.stats,

    async close() {
      await queries.stop()
      await spill[Symbol.asyncDispose]()
    },
  }
}
