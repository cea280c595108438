import { open, rm } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { storeFile } from './open-store.ts'

const busyMsMax = 10_000
/** All pages in one step, so that the copy is consistent even if others write meanwhile. */
const pagesAStep = 2 ** 31 - 1

/** Copies the control data of a folder to another, consistently. Other processes may read and write meanwhile. */
export async function snapshotStore(from: string, to: string): Promise<void> {
  const file = storeFile(to)
  await (await open(file, 'a', 0o600)).close()
  const database = new DatabaseSync(storeFile(from), { readOnly: true, timeout: busyMsMax })
  try {
    await backup(database, file, { rate: pagesAStep })
  } finally {
    database.close()
  }
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
