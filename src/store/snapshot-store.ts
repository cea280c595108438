import { open, rm } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { storeFile } from './open-store.ts'

const busyMsMax = 10_000
/** All pages in one step: it sees one state of the database, however much others write meanwhile. */
const pagesAStep = 2 ** 31 - 1

/** Copies the control data of one folder into another as it is at one moment. Others may read and write meanwhile. */
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

/** Makes the control data in a folder that nobody uses one file, which can be read even where nothing can be written. */
export async function sealStore(folder: string): Promise<void> {
  const database = new DatabaseSync(storeFile(folder), { timeout: busyMsMax })
  database.exec('PRAGMA journal_mode = DELETE')
  database.close()
}

/** Removes what SQLite keeps beside a file that is to be replaced, and would otherwise add to its successor. */
export async function removeJournals(folder: string): Promise<void> {
  for (const ending of ['-wal', '-shm', '-journal']) await rm(storeFile(folder) + ending, { force: true })
}
