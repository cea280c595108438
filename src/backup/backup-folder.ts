import { existsSync } from 'node:fs'
import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { FactFolder } from '../facts/fact-folder.ts'
import { syncFolder } from '../facts/sync-tree.ts'
import { hasStore, storeFile } from '../store/open-store.ts'
import { removeJournals, sealStore } from '../store/snapshot-store.ts'
import type { DataFolders } from './list-files.ts'

/**
 * The folders of a backup, as in a data folder. The control data of the next backup are prepared in `next`; it takes
 * effect when they replace those of the earlier one.
 */
export const backupFolders = (folder: string): DataFolders => ({ folder, reportsFolder: join(folder, 'reports') })

/** Prepares a folder for the backup of an installation; returns the folder of the next control data. */
export async function openBackupFolder(folder: string, dataFolder: string, owner: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (await isWithin(folder, dataFolder)) {
    throw new Error(`The backup cannot be inside the data folder ${dataFolder}. Choose another folder.`)
  }
  const files = new FactFolder(folder)
  const found = await files.readOwner()
  if (found === undefined && (await readdir(folder)).length > 0) {
    throw new Error(`The folder ${folder} contains files that are not part of a backup. Choose another folder.`)
  }
  if (found !== undefined && found !== owner) {
    throw new Error(`The folder ${folder} contains a backup of another installation. Choose another folder.`)
  }
  await files.claim(owner)
  const next = join(folder, 'next')
  await rm(next, { recursive: true, force: true })
  await mkdir(next, { mode: 0o700 })
  return next
}

async function isWithin(folder: string, dataFolder: string): Promise<boolean> {
  const path = relative(await realpath(dataFolder), await realpath(folder))
  return path === '' || !(path.startsWith('..') || isAbsolute(path))
}

/** Replaces the control data of a backup, which makes the folder this backup instead of the earlier one. */
export async function publishBackup(folder: string): Promise<void> {
  const next = join(folder, 'next')
  await sealStore(next)
  await syncFolder(storeFile(next))
  await removeJournals(folder)
  await rename(storeFile(next), storeFile(folder))
  await syncFolder(folder)
  await rm(next, { recursive: true, force: true })
}

export function demandBackup(folder: string): void {
  if (hasStore({ folder }) && existsSync(join(folder, 'facts', 'owner'))) return
  throw new Error(`There is no complete backup in the folder ${folder}.`)
}
