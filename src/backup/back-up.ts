import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { factsSweep } from '../ingest/sweep-facts.ts'
import { attemptOf } from '../reports/sweep-reports.ts'
import { holdLease } from '../store/hold-lease.ts'
import { countReports } from '../store/stored-reports.ts'
import { markJobRemoved } from '../store/jobs.ts'
import { hasStore, openStore, type Store } from '../store/open-store.ts'
import { findSecret } from '../store/secrets.ts'
import { snapshotStore } from '../store/snapshot-store.ts'
import { countVisibleDays } from '../store/visible-loads.ts'
import { backupPlace, openBackupFolder, publishBackup } from './backup-folder.ts'
import { copyFiles } from './copy-files.ts'
import type { Place } from './list-files.ts'
import { removeOthers } from './remove-others.ts'

type Options = {
  readonly signal: AbortSignal
  readonly now: () => number
  readonly onProgress: (share: number) => void
  /** Another process sweeps, and is waited for. */
  readonly onWait: () => void
}

export type BackedUp = {
  readonly files: number
  /** Of these, the ones that the folder did not have yet. */
  readonly added: number
  readonly removed: number
}

/** Sweeps take seconds, another backup may take minutes. */
const waitMsMax = 10 * 60_000

/**
 * Makes a folder the backup of an installation that runs: first the control data as they are at one moment, then the
 * files that they name, which never change. Whenever it ends, the folder has this backup or the earlier one.
 */
export async function backUp(store: Store, from: Place, folder: string, options: Options): Promise<BackedUp> {
  const owner = (await findSecret(store, 'engine-owner')).toString('hex')
  const kept = new Set([join(folder, 'facts', 'owner')])
  const { signal, now, onWait } = options
  // Until all files are linked, nobody may remove one of them.
  const put = await holdLease(store, factsSweep, { signal, now, onWait, waitMsMax }, async (held) => {
    const next = await openBackupFolder(folder, from.folder, owner)
    return fill(from, folder, next, kept, { ...options, signal: held })
  })
  await publishBackup(folder)
  const files = kept.size - 1
  const removed =
    (await removeOthers(join(folder, 'facts'), kept)) + (await removeOthers(join(folder, 'reports'), kept))
  return { files, added: put, removed }
}

async function fill(
  from: Place,
  folder: string,
  next: string,
  kept: Set<string>,
  { signal, now, onProgress }: Options,
): Promise<number> {
  await snapshotStore(from.folder, next)
  await mkdir(backupPlace(folder).reportsFolder, { recursive: true, mode: 0o700 })
  await using stores = new AsyncDisposableStack()
  const open = async (place: string): Promise<Store> =>
    stores.adopt(await openStore({ folder: place }), (opened) => opened.destroy())
  const snapshot = await open(next)
  // Whoever has one, this one included, has it of the original.
  await snapshot.deleteFrom('leases').execute()
  const before = hasStore({ folder }) ? await open(folder) : undefined
  const all = (await countVisibleDays(snapshot)) + (await countReports(snapshot))
  const { put, damaged, missingReports } = await copyFiles(from, backupPlace(folder), {
    store: snapshot,
    before,
    mayLink: true,
    draftsFolder: next,
    signal,
    onFile(target) {
      kept.add(target)
      onProgress(Math.min(1, kept.size / all))
    },
  })
  if (damaged.length > 0) {
    throw new Error(
      `Fact files are missing or damaged, so there is no new backup: ${damaged.length}, the first is ${damaged[0]}. ` +
        '`adcube verify` names them; load their days again.',
    )
  }
  // They were removed since the snapshot was taken, and so they are in the backup.
  for (const file of missingReports) await markJobRemoved(snapshot, attemptOf(file).jobId, now())
  return put
}
