import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { WaitingLine } from '../../concurrency/waiting-line.ts'
import { openSpillFolder } from '../../duckdb/spill-folder.ts'
import type { Query } from '../../query/query.ts'
import { FactsError, withDeadline } from '../errors.ts'
import { FactFolder } from '../fact-folder.ts'
import type { EngineSettings, Facts, Scope } from '../facts.ts'
import { chooseSources } from '../rollups.ts'
import { checkFiles } from './check-files.ts'
import { compileQuery } from './compile-query.ts'
import { runExport } from './export-process.ts'
import { filesOf, mergeDays, removeMerged } from './merged-files.ts'
import { QueryProcess } from './query-process.ts'
import { toFactsError } from './trouble.ts'
import { removeIfEmpty, syncFolder, syncTree } from '../sync-tree.ts'

/** Servers, workers and loaders may share the data folder. */
export type DuckdbSettings = EngineSettings & { readonly folder: string }

/** After this wait, the caller is asked to retry. */
const waitMsMax = 10_000
const waitingMax = 1_024
const waitingOfAccountMax = 64

/** The query process is started by `start`, because loaders do not need it. */
export async function openDuckdbFacts(settings: DuckdbSettings, log: Logger): Promise<Facts> {
  const folder = new FactFolder(settings.folder)
  const { root } = folder
  await folder.claim(settings.owner)
  const spill = await openSpillFolder(settings.folder)
  const cores = availableParallelism()
  const line = new WaitingLine({ places: cores, placesOfOthers: 1, waitingMax, waitingOfNameMax: waitingOfAccountMax })
  const { queryMemoryMb, exportMemoryMb, spillMb: spillMbMax } = settings
  const queries = new QueryProcess({ memoryMb: queryMemoryMb, spillMbMax, threads: cores, folders: [root] }, spill, log)

  return {
    distinctCountError: 0,

    start: () => queries.start(),

    async readRows(query, scope, { signal, onBegin }) {
      const waited = AbortSignal.timeout(waitMsMax)
      const leave = await line.enter(scope.account, AbortSignal.any([signal, waited])).catch((error: unknown) => {
        throw new FactsError(signal.aborted ? 'cancelled' : 'busy', error)
      })
      onBegin?.()
      try {
        return await withDeadline({ msMax: settings.queryMsMax, signal, toFactsError }, async (aborted) => {
          const { limit } = query
          const { statement, readFrom } = compileOver(folder, query, scope, limit + 1)
          return { ...(await queries.ask({ ...statement, limit }, aborted)), readFrom }
        })
      } finally {
        leave()
      }
    },

    async writeCsv(query, scope, target, options) {
      await using own = await spill.open()
      const limits = { memoryMb: exportMemoryMb, spillMbMax, threads: 1 }
      const duckdb = { ...limits, spillFolder: own.path, folders: [root, own.path] }
      const { statement } = compileOver(folder, query, scope, query.limit)
      // Without await, the folder would be removed too early.
      return await runExport({ duckdb, statement }, target, options)
    },

    async addLoad({ cube, load, files, folder: draft }) {
      const place = folder.folderOfLoad(cube, load)
      await syncTree(draft)
      await mkdir(dirname(place), { recursive: true, mode: 0o700 })
      // Control data restored from a backup reuse the numbers of later loads, whose facts nobody needs.
      if (existsSync(place)) {
        for (const { account, day } of files) await removeMerged(folder, cube, { account, day, load })
        await rm(place, { recursive: true })
      }
      await rename(draft, place)
      await syncFolder(dirname(place))
      await syncFolder(root)
    },

    async mergeDays(cube, days) {
      await using own = await spill.open()
      await mergeDays(folder, cube, days, { memoryMb: exportMemoryMb, spillFolder: own.path })
    },

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

    check: (recordsOf, options) => checkFiles(folder, recordsOf, options),

    isUp: async () => queries.isUp,

    stats: () => queries.stats,

    async close() {
      await queries.stop()
      await spill[Symbol.asyncDispose]()
    },
  }
}

/** Compiles a query to a statement over the files of its scope. */
function compileOver(folder: FactFolder, query: Query, scope: Scope, rows: number) {
  const { cube } = query
  const { account } = scope
  const { dimension, rolled, others, readFrom } = chooseSources(query, scope, { countsApart: true })
  const statement = compileQuery(query, scope, {
    files: filesOf(folder, cube, scope),
    ...(rolled.length > 0 && {
      rolled: {
        dimension,
        rollups: rolled.map(({ day, load, columns }) => ({
          path: folder.rollupOfPortion(cube, { account, day, load }),
          columns,
        })),
        others: filesOf(folder, cube, { account, visible: others }),
      },
    }),
    rows,
  })
  return { statement, readFrom }
}
