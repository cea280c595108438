import type { EngineFinding } from './facts.ts'
import { inspectDuckdb } from './duckdb/inspect-duckdb.ts'
import type { FactsSettings } from './open-facts.ts'

type Settings = Pick<FactsSettings, 'folder' | 'clickhouseUrl' | 'clickhouseReaderUrl' | 'queryMemoryMb'> & {
  /** Of the control data, as far as it is known: there is none before the first start. */
  readonly owner: string | undefined
}

/** The engine as it is, beside the processes that use it. Changes nothing. */
export async function inspectFacts(settings: Settings): Promise<readonly EngineFinding[]> {
  const { clickhouseUrl: url, clickhouseReaderUrl: readerUrl } = settings
  if (url === undefined) return inspectDuckdb(settings)
  const { inspectClickhouse } = await import('./clickhouse/inspect-clickhouse.ts')
  return inspectClickhouse({ url, readerUrl, owner: settings.owner })
}
