import { readlinkSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

export type SpillFolder = AsyncDisposable & {
  readonly path: string
  remove(): Promise<void>
  /** One of its own for a piece of work, within this one. */
  open(): Promise<SpillFolder>
}

/** A process that lives says so this often; a folder that nobody has touched for much longer is nobody's. */
const touchMs = 60_000
const untouchedMsMax = 10 * touchMs
/** Of this process: another with its number, before a restart, may have left one behind. */
const ours = new Set<string>()

/**
 * A folder for what does not fit into memory, which is gone when it is disposed of. What a killed process left behind
 * is removed by the next one: at once where it can tell that the process is gone, otherwise after a while.
 */
export async function openSpillFolder(dataFolder: string): Promise<SpillFolder> {
  const all = join(dataFolder, 'spill')
  await mkdir(all, { recursive: true, mode: 0o700 })
  await removeLeftovers(all)
  const path = await mkdtemp(join(all, `${home()}-${process.pid}-`))
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
    const pid = name.startsWith(`${home()}-`) ? /-(\d+)-\w+$/.exec(name)?.[1] : undefined
    const isGone = pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid)))
    if (isGone || Date.now() - touchedAt > untouchedMsMax) await removeTree(path)
  }
}

/** Where the number of a process means something: this machine and, in a container, this container. */
function home(): string {
  try {
    return `${hostname()}-${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''}`
  } catch {
    return hostname()
  }
}

const folderAt = (path: string, remove = () => removeTree(path)): SpillFolder => ({
  path,
  open: async () => folderAt(await mkdtemp(join(path, 'part-'))),
  remove,
  [Symbol.asyncDispose]: remove,
})

const removeTree = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 })

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process is alive too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
