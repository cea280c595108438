import { existsSync } from 'node:fs'
import { link, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openFactFiles } from '../facts/fact-files.ts'
import { syncFolder } from '../facts/sync-tree.ts'
import { countReports } from '../store/stored-reports.ts'
import { openStore, storeFile } from '../store/open-store.ts'
import { findSecret } from '../store/secrets.ts'
import { sealStore, snapshotStore } from '../store/snapshot-store.ts'
import { countVisibleDays } from '../store/visible-loads.ts'
import { backupPlace, demandBackup } from './backup-folder.ts'
import { copyFiles } from './copy-files.ts'

type Options = {
  readonly signal: AbortSignal
  readonly onProgress: (share: number) => void
}

/** What a restore moves into place, the control data last: without them the folder is nobody's. */
const moved = ['facts', 'reports'] as const

/**
 * Makes a data folder out of a backup. Files are copied, not linked: what damages one must not damage the other. One that
 * is interrupted leaves no data folder, and the next begins anew.
 */
export async function restore(folder: string, dataFolder: string, { signal, onProgress }: Options): Promise<number> {
  demandBackup(folder)
  const draft = await openDraft(dataFolder)
  try {
    const files = await fill(folder, draft, { signal, onProgress })
    for (const name of moved) await rename(join(draft, name), join(dataFolder, name))
    // A link fails where somebody has started an Adcube in the folder meanwhile.
    await link(storeFile(draft), storeFile(dataFolder))
    await syncFolder(dataFolder)
    return files
  } finally {
    await rm(draft, { recursive: true })
  }
}

/** Makes a whole data folder of the draft. */
async function fill(folder: string, draft: string, { signal, onProgress }: Options): Promise<number> {
  await snapshotStore(folder, draft)
  let files = 0
  const store = await openStore({ folder: draft })
  try {
    const all = (await countVisibleDays(store)) + (await countReports(store))
    const place = backupPlace(draft)
    await mkdir(place.reportsFolder, { mode: 0o700 })
    await openFactFiles(draft).claim((await findSecret(store, 'engine-owner')).toString('hex'))
    const { damaged, missingReports } = await copyFiles(backupPlace(folder), place, {
      store,
      before: undefined,
      mayLink: false,
      draftsFolder: draft,
      signal,
      onFile: () => onProgress(Math.min(1, ++files / all)),
    })
    const missing = [...damaged, ...missingReports]
    if (missing.length > 0) {
      throw new Error(
        `Files of the backup are missing or damaged, so nothing was restored: ${missing.length}, the first is ${missing[0]}.`,
      )
    }
  } finally {
    await store.destroy()
  }
  signal.throwIfAborted()
  await sealStore(draft)
  await syncFolder(storeFile(draft))
  return files
}

async function openDraft(dataFolder: string): Promise<string> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const draft = join(dataFolder, 'restoring')
  // What an interrupted restore has left: there are no control data yet, so nobody has used it.
  if (existsSync(draft) && !existsSync(storeFile(dataFolder))) {
    for (const name of [...moved, 'restoring']) await rm(join(dataFolder, name), { recursive: true, force: true })
  }
  if ((await readdir(dataFolder)).length > 0) {
    throw new Error(`The folder ${dataFolder} is not empty. Restore to a new folder, and then swap them.`)
  }
  await mkdir(draft, { mode: 0o700 })
  return draft
}
