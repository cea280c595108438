import type { Logger } from 'pino'
import type { Cube } from '../../catalog/cube.ts'
import { cubes } from '../../catalog/cubes.ts'
import type { EngineSettings, Facts } from '../facts.ts'
import { addLoad } from './add-load.ts'
import { checkCounts } from './check-counts.ts'
import { compileQuery } from './compile-query.ts'
import { sketchError } from './schema.ts'
import { checkVersion, claimDatabase, migrate } from './prepare-database.ts'
import { readRows, writeCsv } from './read-facts.ts'
import { removeLoads, removePortions } from './remove-facts.ts'
import { Server, type Timeouts } from './server.ts'

export type ClickhouseSettings = EngineSettings & {
  /** http(s)://user:password@host:port/database, with a user that may change tables. */
  readonly url: string
  /** The same server, with a user that may only read. */
  readonly readerUrl: string | undefined
  /** The cubes that the tables are made for; those of the catalog if omitted. */
  readonly cubes?: readonly Cube[]
}

/** Creates the database if it is missing, and refuses one with facts of other control data. */
export async function openClickhouseFacts(
  settings: ClickhouseSettings,
  log: Logger,
  timeouts?: Timeouts,
): Promise<Facts> {
  if (settings.readerUrl === undefined) {
    log.warn('API queries use a user that can write: set ADCUBE_CLICKHOUSE_READER_URL to a user that can only SELECT')
  }
  const server = new Server(settings, timeouts)
  try {
    await checkVersion(server)
    await claimDatabase(server, settings.owner)
    await migrate(server, settings.cubes ?? cubes, log)
  } catch (error) {
    await server.close()
    throw error
  }

  return {
    distinctCountError: sketchError,

    start: async () => {},

    async readRows(query, scope, options) {
      // The server limits how many queries run at the same time.
      options.onBegin?.()
      const { readFrom, ...statement } = compileQuery(query, scope, query.limit + 1)
      const rows = await readRows(server, statement, {
        ...options,
        limit: query.limit,
        msMax: settings.queryMsMax,
        memoryMb: settings.queryMemoryMb,
      })
      return { ...rows, readFrom }
    },

    writeCsv: (query, scope, target, options) =>
      writeCsv(server, compileQuery(query, scope, query.limit), target, {
        ...options,
        memoryMb: settings.exportMemoryMb,
      }),

    addLoad: (draft, options) => addLoad(server, draft, options),

    // The server merges by itself.
    mergeDays: async () => {},

    findDamage: undefined,

    removeLoads: (cube, loads) => removeLoads(server, cube, loads),

    removePortions: (cube, portions) => removePortions(server, cube, portions),

    check: (recordsOf, options) => checkCounts(server, recordsOf, options),

    async isUp() {
      try {
        await server.ask({ sql: 'SELECT 1 FROM schema_steps LIMIT 1', as: 'reader', msMax: server.timeouts.probeMsMax })
        return true
      } catch {
        return false
      }
    },

    stats: () => undefined,

    close: () => server.close(),
  }
}
