import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { removeIfEmpty } from '../facts/sync-tree.ts'
import { factsSweep } from '../ingest/sweep-facts.ts'
import { attemptOf } from '../reports/sweep-reports.ts'
import { holdLease } from '../store/hold-lease.ts'
import { markJobRemoved } from '../reports/cancel-or-remove-job.ts'
import { hasStore, openStore, type Store } from '../store/open-store.ts'
import { findSecret } from '../store/secrets.ts'
import { snapshotStore } from '../store/snapshot-store.ts'
import { backupFolders, openBackupFolder, publishBackup } from './backup-folder.ts'
import { copyFiles } from './copy-files.ts'
import type { DataFolders } from './list-files.ts'

type Options = {
  readonly signal: AbortSignal
  readonly now: () => number
  readonly onProgress: (share: number) => void
  /** Called if another process sweeps facts or makes a backup. */
  readonly onWait: () => void
}

/** A sweep takes seconds; another backup may take minutes. */
const waitMsMax = 10 * 60_000

/**
 * Makes a folder the backup of a running installation: first a snapshot of the control data, then the files that it
 * names, which never change. If this fails, the folder still has the earlier backup. Returns the numbers of all files, of
 * those that the folder did not have yet, and of those that were removed.
 */
export async function backUp(store: Store, from: DataFolders, folder: string, options: Options) {
  const owner = (await findSecret(store, 'engine-owner')).toString('hex')
  const kept = new Set<string>()
  const { signal, now, onWait } = options
  // Facts must not be swept until all files are linked.
  const added = await holdLease(store, factsSweep, { signal, now, onWait, waitMsMax }, async (held) => {
    const next = await openBackupFolder(folder, from.folder, owner)
    return fill(from, folder, next, kept, { ...options, signal: held.signal })
  })
  await publishBackup(folder)
  const files = kept.size
  kept.add(join(folder, 'facts', 'owner'))
  const removed =
    (await removeOthers(join(folder, 'facts'), kept)) + (await removeOthers(join(folder, 'reports'), kept))
  await recordBackup(store, folder, now())
  return { files, added, removed }
}

async function fill(
  from: DataFolders,
  folder: string,
  next: string,
  kept: Set<string>,
  { signal, now, onProgress }: Options,
): Promise<number> {
  await snapshotStore(from.folder, next)
  const to = backupFolders(folder)
  await mkdir(to.reportsFolder, { recursive: true, mode: 0o700 })
  await using stores = new AsyncDisposableStack()
  const open = async (place: string): Promise<Store> => stores.use(await openStore({ folder: place }))
  const snapshot = await open(next)
  // Leases in the copy belong to processes of the original.
  await snapshot.deleteFrom('leases').execute()
  // Their files are not in the backup, so they must not become visible again.
  await snapshot.updateTable('retiredLoads').set({ byAge: 0 }).execute()
  const before = hasStore({ folder }) ? await open(await copyBefore(folder, next)) : undefined
  const { put, damaged, missingReports } = await copyFiles(from, to, {
    store: snapshot,
    before,
    mayLink: true,
    draftsFolder: next,
    signal,
    onFile(target, share) {
      kept.add(target)
      onProgress(share)
    },
  })
  if (damaged.length > 0) {
    throw new Error(
      `Fact files are missing or damaged, so there is no new backup: ${damaged.length}, the first is ${damaged[0]}. ` +
        '`adcube verify` names them; load their days again.',
    )
  }
  // They were removed after the snapshot, which still names them.
  for (const file of missingReports) await markJobRemoved(snapshot, attemptOf(file).jobId, now())
  return put
}

/** Copies the control data of the earlier backup, which must stay as they are. */
async function copyBefore(folder: string, next: string): Promise<string> {
  const before = join(next, 'before')
  await mkdir(before, { mode: 0o700 })
  await snapshotStore(folder, before)
  return before
}

/** Records the end of a backup, for the metric of its age. The backup itself has only the records of those before it. */
async function recordBackup(store: Store, folder: string, finishedAt: number): Promise<void> {
  // Control data of a running server of an earlier version have no such table, and are not migrated.
  const tables = await store.introspection.getTables()
  if (!tables.some(({ name }) => name === 'backups')) return
  await store
    .insertInto('backups')
    .values({ folder, finishedAt })
    .onConflict((conflict) => conflict.column('folder').doUpdateSet({ finishedAt }))
    .execute()
}

/** Removes the files below a folder that are not to be kept, and the folders that become empty. */
async function removeOthers(folder: string, kept: ReadonlySet<string>): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const pathsOf = (isFolder: boolean): string[] =>
    entries.filter((entry) => entry.isDirectory() === isFolder).map((entry) => join(entry.parentPath, entry.name))
  const others = pathsOf(false).filter((path) => !kept.has(path))
  for (const path of others) await rm(path)
  // Reversed: a folder comes after the folders within it.
  for (const path of pathsOf(true).toSorted().toReversed()) await removeIfEmpty(path)
  return others.length
}
