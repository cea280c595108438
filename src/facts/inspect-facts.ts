import type { EngineFinding } from './facts.ts'
import { inspectDuckdb } from './duckdb/inspect-duckdb.ts'
import type { FactsSettings } from './open-facts.ts'

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
