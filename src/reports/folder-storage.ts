import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../facts/sync-tree.ts'
import type { ReportStorage } from './storage.ts'

/** Keeps reports in a folder, which nodes may share. Drafts are in a subfolder and become reports by a rename. */
export async function openFolderStorage(folder: string): Promise<ReportStorage> {
  const drafts = join(folder, 'drafts')
  await mkdir(drafts, { recursive: true, mode: 0o700 })
  const pathOf = (name: string): string => join(folder, checked(name))
  return {
    async draft(name) {
      const path = join(drafts, checked(name))
      const stream = createWriteStream(path, { mode: 0o600, flush: true })
      return {
        stream,
        async publish() {
          await rename(path, pathOf(name))
          await syncFolder(folder)
        },
        async discard() {
          stream.destroy()
          await rm(path, { force: true })
        },
      }
    },
    async measure(name) {
      try {
        return (await stat(pathOf(name))).size
      } catch {
        return undefined
      }
    },
    read: (name, range) => createReadStream(pathOf(name), range),
    async remove(name) {
      await rm(pathOf(name), { force: true })
    },
    list: () => listFiles(folder),
    listDrafts: () => listFiles(drafts),
    async removeDraft(name) {
      await rm(join(drafts, checked(name)), { force: true })
    },
    async freeBytes() {
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    },
  }
}

/** Lists files with names that Adcube gives. Other files are left alone. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && ourNames.test(entry.name)).map(({ name }) => name)
}

const ourNames = /^job_\w+\.csv\.gz$/

/** Refuses names with paths in them. */
function checked(name: string): string {
  if (!ourNames.test(name)) throw new Error('not the name of a report')
  return name
}
