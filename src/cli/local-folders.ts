import { resolve } from 'node:path'
import type { DataFolders } from '../backup/list-files.ts'
import { UsageError, type Settings } from './settings.ts'

/** Returns the folders of an installation; throws if some of its data is in a database, which has tools of its own. */
export function requireFolders({ dataDir, reports, databaseUrl, clickhouseUrl }: Settings): DataFolders {
  const setting = databaseUrl === undefined ? 'ADCUBE_CLICKHOUSE_URL' : 'ADCUBE_DATABASE_URL'
  if (databaseUrl !== undefined || clickhouseUrl !== undefined) {
    throw new UsageError(
      `${setting} is set: this command is for data in files. docs/operations.md, "Backup and restore", has the steps ` +
        'for PostgreSQL and ClickHouse.',
    )
  }
  return { folder: resolve(dataDir), reportsFolder: resolve(reports) }
}
