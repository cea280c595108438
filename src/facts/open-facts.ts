import type { Logger } from 'pino'
import type { Cube } from '../catalog/cube.ts'
import { openDuckdbFacts, type DuckdbSettings } from './duckdb/duckdb-facts.ts'
import { inspectDuckdb } from './duckdb/inspect-duckdb.ts'
import type { EngineFinding, Facts } from './facts.ts'

export type FactsSettings = DuckdbSettings & {
  /** If undefined, facts are files in the folder. */
  readonly clickhouseUrl: string | undefined
  readonly clickhouseReaderUrl: string | undefined
  readonly cubes?: readonly Cube[]
}

export async function openFacts(settings: FactsSettings, log: Logger): Promise<Facts> {
  const { clickhouseUrl: url, clickhouseReaderUrl: readerUrl } = settings
  if (url === undefined) return openDuckdbFacts(settings, log)
  // Loaded on demand, because the client costs memory and time.
  const { openClickhouseFacts } = await import('./clickhouse/clickhouse-facts.ts')
  return openClickhouseFacts({ ...settings, url, readerUrl }, log)
}

type Settings = Pick<FactsSettings, 'folder' | 'clickhouseUrl' | 'clickhouseReaderUrl' | 'queryMemoryMb'> & {
  /** The secret of the control data; undefined before the first start. */
  readonly owner: string | undefined
}

/** Inspects the engine without changing anything; servers may be running. */
export async function inspectFacts(settings: Settings): Promise<readonly EngineFinding[]> {
  const { clickhouseUrl: url, clickhouseReaderUrl: readerUrl } = settings
  if (url === undefined) return inspectDuckdb(settings)
  const { inspectClickhouse } = await import('./clickhouse/inspect-clickhouse.ts')
  return inspectClickhouse({ url, readerUrl, owner: settings.owner })
}
