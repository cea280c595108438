import { mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore, storeFile, type Store } from '../store/open-store.ts'
import { snapshotStore } from '../store/snapshot-store.ts'

/** Control data to compare files with. */
export type ControlData = {
  readonly store: Store
  /** Replaces the store by one with all that has changed since. */
  renew(): Promise<void>
}

/**
 * Opens a copy of the control data of a folder. Nothing in the folder is changed: it can be a read-only backup, or belong to
 * a running server of an earlier version, whose control data must not be migrated.
 */
export async function openCopyOfStore(folder: string, workFolder: string): Promise<ControlData & AsyncDisposable> {
  const open = async () => {
    const state = await stateOf(folder)
    const to = await mkdtemp(join(workFolder, 'control-'))
    await snapshotStore(folder, to)
    return { state, to, store: await openStore({ folder: to }) }
  }
  const close = async ({ to, store }: Awaited<ReturnType<typeof open>>): Promise<void> => {
    await store.destroy()
    await rm(to, { recursive: true })
  }
  let copy = await open()
  return {
    get store() {
      return copy.store
    },
    async renew() {
      if ((await stateOf(folder)) === copy.state) return
      const before = copy
      copy = await open()
      await close(before)
    },
    [Symbol.asyncDispose]: () => close(copy),
  }
}

/** Sizes and times of the files, which change with every write. */
async function stateOf(folder: string): Promise<string> {
  const files = ['', '-wal'].map((ending) => stat(storeFile(folder) + ending, { bigint: true }).catch(() => undefined))
  return (await Promise.all(files)).map((file) => `${file?.ino} ${file?.size} ${file?.mtimeNs}`).join()
}
