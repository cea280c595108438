import { existsSync } from 'node:fs'
import { link, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FactFolder } from '../facts/fact-folder.ts'
import { syncFolder } from '../facts/sync-tree.ts'
import { openStore, storeFile } from '../store/open-store.ts'
import { findSecret } from '../store/secrets.ts'
import { sealStore, snapshotStore } from '../store/snapshot-store.ts'
import { backupFolders, demandBackup } from './backup-folder.ts'
import { copyFiles } from './copy-files.ts'
import { listRevoked } from './list-revoked.ts'

type Options = {
  /** A data folder with newer control data of the same installation, to find what was revoked since. */
  readonly newer?: string | undefined
  readonly signal: AbortSignal
  readonly onProgress: (share: number) => void
}

/** Moved into place before the control data: without these, the folder is not a data folder. */
const moved = ['facts', 'reports'] as const

/**
 * Makes a data folder from a backup, without its sessions; returns the number of files, and the rights that were taken away
 * since. Files are copied, not linked, because damage to a linked file would damage both. An interrupted restore leaves no
 * data folder, and the next one starts again.
 */
export async function restore(folder: string, dataFolder: string, options: Options) {
  demandBackup(folder)
  const draft = await openDraft(dataFolder)
  try {
    const restored = await fill(folder, draft, options)
    options.signal.throwIfAborted()
    await sealStore(draft)
    await syncFolder(storeFile(draft))
    for (const name of moved) await rename(join(draft, name), join(dataFolder, name))
    // Unlike a rename, a link fails if an Adcube was started in the folder meanwhile.
    await link(storeFile(draft), storeFile(dataFolder))
    await syncFolder(dataFolder)
    return restored
  } finally {
    await rm(draft, { recursive: true })
  }
}

/** Fills the draft with the control data and all files that they name. */
async function fill(folder: string, draft: string, { newer, signal, onProgress }: Options) {
  await snapshotStore(folder, draft)
  await using store = await openStore({ folder: draft })
  const revoked = newer === undefined ? [] : await listRevoked(store, newer, draft)
  // Some may have been ended since, by signing out or with a new password.
  await store.deleteFrom('sessions').execute()
  const to = backupFolders(draft)
  await mkdir(to.reportsFolder, { mode: 0o700 })
  await new FactFolder(draft).claim((await findSecret(store, 'engine-owner')).toString('hex'))
  const { files, damaged, missingReports } = await copyFiles(backupFolders(folder), to, {
    store,
    before: undefined,
    mayLink: false,
    draftsFolder: draft,
    signal,
    onFile: (_target, share) => onProgress(share),
  })
  const missing = [...damaged, ...missingReports]
  if (missing.length > 0) {
    throw new Error(
      `Files of the backup are missing or damaged, so nothing was restored: ${missing.length}, the first is ${missing[0]}.`,
    )
  }
  return { files, revoked }
}

async function openDraft(dataFolder: string): Promise<string> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const draft = join(dataFolder, 'restoring')
  // An interrupted restore left this. Without control data, nobody has used it.
  if (existsSync(draft) && !existsSync(storeFile(dataFolder))) {
    for (const name of [...moved, 'restoring']) await rm(join(dataFolder, name), { recursive: true, force: true })
  }
  if ((await readdir(dataFolder)).length > 0) {
    throw new Error(`The folder ${dataFolder} is not empty. Restore to a new folder, and then swap them.`)
  }
  await mkdir(draft, { mode: 0o700 })
  return draft
}
