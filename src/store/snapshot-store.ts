import { existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { storeFile } from './open-store.ts'

const busyMsMax = 10_000
/** All pages in one step, so that the copy is consistent even if others write meanwhile. */
const pagesAStep = 2 ** 31 - 1

/**
 * Copies the control data of a folder to another, consistently. Other processes may read and write meanwhile; an unused
 * folder, such as a backup, is not changed and can be read-only.
 */
export async function snapshotStore(from: string, to: string): Promise<void> {
  const file = storeFile(to)
  await (await open(file, 'a', 0o600)).close()
  const source = readOnlyUrl(storeFile(from))
  const database = new DatabaseSync(source, { readOnly: true, timeout: busyMsMax })
  try {
    await backup(database, file, { rate: pagesAStep })
  } finally {
    database.close()
  }
  // A process has begun to use it meanwhile.
  if (readOnlyUrl(storeFile(from)).href !== source.href) await snapshotStore(from, to)
}

/** The address to open a database with for reading, without changing anything if no process uses it. */
export function readOnlyUrl(file: string): URL {
  const url = pathToFileURL(file)
  // Without a write-ahead log, even a reader would create its files and leave them behind.
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1')
  return url
}

/** Turns the control data of an unused folder into a single file, which can be read from a read-only disk. */
export async function sealStore(folder: string): Promise<void> {
  const database = new DatabaseSync(storeFile(folder), { timeout: busyMsMax })
  database.exec('PRAGMA journal_mode = DELETE')
  database.close()
}

/** Removes the journals of a database file that is to be replaced: SQLite would apply them to the new file. */
export async function removeJournals(folder: string): Promise<void> {
  for (const ending of ['-wal', '-shm', '-journal']) await rm(storeFile(folder) + ending, { force: true })
}
