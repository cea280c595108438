import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { claimFolder } from '../facts/claim-folder.ts'
import { syncFolder } from '../facts/sync-tree.ts'

/** A range of bytes, both ends included. */
export type ByteRange = { readonly start: number; readonly end: number }

/** A place for reports. Files are named after the job and the attempt that made them. */
export type ReportStorage = ReturnType<typeof reportsIn>

/**
 * Opens a folder for reports, which the nodes of one installation may share, and records its owner: an installation removes
 * reports that its jobs do not name. A folder of an earlier version has no owner yet.
 */
export async function openFolderStorage(folder: string, owner: string): Promise<ReportStorage> {
  if ((await claimFolder(folder, owner)) !== owner) throw new Error(describeOthersReports(folder))
  await mkdir(join(folder, 'drafts'), { recursive: true, mode: 0o700 })
  return reportsIn(folder)
}

export const describeOthersReports = (folder: string): string =>
  `The reports in ${folder} belong to another installation, and each would delete those of the other: set ADCUBE_REPORTS ` +
  'to another folder.'

/** The reports in a folder. Drafts are in a subfolder and become reports by a rename. */
export function reportsIn(folder: string) {
  const drafts = join(folder, 'drafts')
  const pathOf = (name: string): string => join(folder, checked(name))
  return {
    /** Begins a report. It is visible only after it is published, as a whole. */
    async draft(name: string) {
      const path = join(drafts, checked(name))
      const stream: Writable = createWriteStream(path, { mode: 0o600, flush: true })
      return {
        stream,
        /** Makes it durable and visible under its name; replaces one of the same name. */
        async publish(): Promise<void> {
          await rename(path, pathOf(name))
          await syncFolder(folder)
        },
        async discard(): Promise<void> {
          stream.destroy()
          await rm(path, { force: true })
        },
      }
    },
    /** The size of a report, or undefined where there is none. */
    async measure(name: string): Promise<number | undefined> {
      try {
        return (await stat(pathOf(name))).size
      } catch {
        return undefined
      }
    },
    read: (name: string, range?: ByteRange): Readable => createReadStream(pathOf(name), range),
    async remove(name: string): Promise<void> {
      await rm(pathOf(name), { force: true })
    },
    list: () => listFiles(folder),
    /** Lists drafts, including those of writers that died. */
    listDrafts: () => listFiles(drafts),
    async removeDraft(name: string): Promise<void> {
      await rm(join(drafts, checked(name)), { force: true })
    },
    async freeBytes(): Promise<number> {
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    },
  }
}

/** Lists files with names that Adcube gives. Other files are left alone. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return []
  })
  return entries.filter((entry) => entry.isFile() && ourNames.test(entry.name)).map(({ name }) => name)
}

const ourNames = /^job_\w+\.csv\.gz$/

/** Refuses names with paths in them. */
function checked(name: string): string {
  if (!ourNames.test(name)) throw new Error('not the name of a report')
  return name
}
