import { readlinkSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

export type SpillFolder = {
  readonly path: string
  /** Makes a folder within this one, for one piece of work. */
  open(): Promise<SpillFolder>
  [Symbol.asyncDispose](): Promise<void>
}

/** A process touches its folder this often; a folder that was not touched for much longer is abandoned. */
const touchMs = 60_000
const untouchedMsMax = 10 * touchMs
/** The folders of this process. An earlier process with the same number may have left others. */
const ours = new Set<string>()

/**
 * Makes a folder for what does not fit into memory, which is removed when it is disposed of. Also removes folders of
 * killed processes: at once if it is certain that the process has ended, otherwise after a while.
 */
export async function openSpillFolder(dataFolder: string): Promise<SpillFolder> {
  const all = join(dataFolder, 'spill')
  await mkdir(all, { recursive: true, mode: 0o700 })
  await removeLeftovers(all)
  const path = await mkdtemp(join(all, `${processScope()}-${process.pid}-`))
  ours.add(path)
  const touching = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => {})
  }, touchMs).unref()
  return folderAt(path, async () => {
    clearInterval(touching)
    await removeTree(path)
    ours.delete(path)
  })
}

async function removeLeftovers(all: string): Promise<void> {
  for (const name of await readdir(all)) {
    const path = join(all, name)
    if (ours.has(path)) continue
    const touchedAt = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    )
    const pid = name.startsWith(`${processScope()}-`) ? /-(\d+)-\w+$/.exec(name)?.[1] : undefined
    const isGone = pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid)))
    if (isGone || Date.now() - touchedAt > untouchedMsMax) await removeTree(path)
  }
}

/** The scope of process numbers: this machine or, in a container, this container. */
function processScope(): string {
  try {
    return `${hostname()}-${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''}`
  } catch {
    return hostname()
  }
}

const folderAt = (path: string, remove = () => removeTree(path)): SpillFolder => ({
  path,
  open: async () => folderAt(await mkdtemp(join(path, 'part-'))),
  [Symbol.asyncDispose]: remove,
})

const removeTree = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 })

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
