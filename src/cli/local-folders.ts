import { resolve } from 'node:path'
import type { DataFolders } from '../backup/list-files.ts'
import { SettingsError, type Settings } from './settings.ts'

/** The folders of an installation that has everything in files. Others are backed up with the tools of their servers. */
export function demandLocal({ dataDir, reportsFolder, databaseUrl, clickhouseUrl }: Settings): DataFolders {
  const setting = databaseUrl === undefined ? 'ADCUBE_CLICKHOUSE_URL' : 'ADCUBE_DATABASE_URL'
  if (databaseUrl !== undefined || clickhouseUrl !== undefined) {
    throw new SettingsError([
      `${setting} is set: this command is for data in files. docs/operations.md, "Backup and restore", has the steps ` +
        'for PostgreSQL and ClickHouse.',
    ])
  }
  return { folder: resolve(dataDir), reportsFolder: resolve(reportsFolder) }
}
