import { mkdir, realpath, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Cube } from '../catalog/cube.ts'
import { openDuckdb } from '../facts/duckdb/open-duckdb.ts'
import type { DraftFile, Facts } from '../facts/facts.ts'
import { dayOf } from '../query/day.ts'
import { oldestDayKept } from '../query/parse-range.ts'
import { listAccounts } from '../store/accounts.ts'
import { beginLoad, failLoad, findVisibleLoads, keepLoadAlive, type LoadedFile, type LoadMode } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'
import { convertFiles, type Opened, type Step } from './convert-files.ts'
import { explainRead } from './explain-read.ts'
import { findFiles, nameOf } from './find-files.ts'
import { fileFault, noFindings } from './load-refused.ts'
import { openSource, spoolFile } from './open-source.ts'
import { publishFacts, type Loaded } from './publish-facts.ts'
import { sweepDrafts } from './sweep-drafts.ts'
import type { FileFormat } from './source.ts'

export type LoadDeps = {
  readonly facts: Facts
  readonly store: Store
  /** Where loads are converted, each in a folder of its own. It is swept with them. */
  readonly draftsFolder: string
  /** Days of an account with so many facts get a rollup; with 0, none do. */
  readonly rollupFacts: number
  readonly now: () => number
}

export type LoadOptions = {
  readonly mode?: LoadMode
  readonly loadedBy?: string
  /** Refuses what is only strange. */
  readonly isStrict?: boolean
  /** Makes the accounts that there are not yet. */
  readonly mayCreateAccounts?: boolean
  /** Appends even what was appended before. */
  readonly mayRepeat?: boolean
  readonly format?: FileFormat | undefined
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: LoadProgress) => void
}

type LoadProgress = {
  readonly step: Step
  /** Of this step, from 0 to 1; undefined where nobody knows how much there is. */
  readonly share: number | undefined
  /** The file that is fetched. */
  readonly name?: string
}

/** A loader that lives says so this often; one that is silent for a minute is given up. */
const aliveMs = 5_000
/** What does not fit goes to disk. More threads would each want a part of it. */
const memoryMb = 2_048
const interruptMs = 50
const threadsMax = 4

/**
 * Loads files. The days of the accounts that they hold are replaced, or added to, when all of them are stored and found
 * right; until then, and for ever if anything is wrong or breaks, nothing of them can be seen.
 */
export async function loadFacts(
  deps: LoadDeps,
  cube: Cube,
  operands: readonly string[],
  options: LoadOptions = {},
): Promise<Loaded> {
  const { store, now, draftsFolder } = deps
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  const { mode = 'replace', loadedBy = '' } = options
  const id = await beginLoad(store, { cube: cube.name, mode, loadedBy, now: now() })
  const alive = setInterval(() => {
    // A store that does not answer is no reason to stop; having been given up is.
    keepLoadAlive(store, id, now()).then(
      (isOurs) => isOurs || stop.abort(new Error('The load was given up.')),
      () => {},
    )
  }, aliveMs)
  const folder = join(draftsFolder, String(id))
  const opened: LoadedFile[] = []
  try {
    await sweepDrafts(deps)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const sources = await openSources(operands, folder, { ...options, signal })
    opened.push(...sources.flatMap(({ source }) => source?.record ?? []))
    const { files, warnings } = await convert(deps, cube, sources, { folder, signal, options })
    await deps.facts.addLoad(
      { load: id, cube, folder: join(folder, 'facts'), files },
      { signal, onProgress: (share) => options.onProgress?.({ step: 'Storing', share }) },
    )
    signal.throwIfAborted()
    const loaded = await publishFacts(deps, cube, { ...options, id, mode, files: opened, portions: files, warnings })
    // What was appended is visible; that its days could be quicker to read is no reason to fail.
    if (mode === 'append') await mergeAppended(deps, cube, files).catch(() => {})
    return loaded
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error
    const text = reason instanceof Error ? reason.message : String(reason)
    // Where the store is away as well, the load is given up later.
    await failLoad(store, { id, reason: text, files: opened, now: now() }).catch(() => {})
    throw reason
  } finally {
    clearInterval(alive)
    // What cannot be removed now is swept later; it says nothing about the load.
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

async function mergeAppended({ facts, store }: LoadDeps, cube: Cube, files: readonly DraftFile[]): Promise<void> {
  const days = await Promise.all(
    files.map(async ({ account, day }) => {
      const visible = await findVisibleLoads(store, { cube: cube.name, account, start: day, end: day })
      return { account, day, loads: visible.map(({ load }) => load) }
    }),
  )
  await facts.mergeDays(cube, days)
}

type Opening = LoadOptions & { readonly signal: AbortSignal }

/** Opens all files, one after the other, and notes what is wrong with those that cannot be used. */
async function openSources(operands: readonly string[], folder: string, options: Opening): Promise<readonly Opened[]> {
  const { signal, format, mode, mayRepeat = false, onProgress } = options
  const files: Opened[] = []
  for (const [index, place] of (await findFiles(operands)).entries()) {
    const name = nameOf(place)
    const fail = (reason: string): void =>
      void files.push({ name, source: undefined, faults: { count: 1, first: [fileFault(name, reason)] } })
    try {
      const onBytes = (done: number, all: number | undefined): void =>
        onProgress?.({ step: 'Fetching', share: all ? done / all : undefined, name })
      const source = await openSource(place, { spool: spoolFile(folder, index), format, signal, onBytes })
      const twin = files.find((file) => file.source?.record.checksum === source.record.checksum)
      if (twin && mode === 'append' && !mayRepeat) {
        fail(`has the same contents as ${twin.name}; omit it, or use --repeat`)
      } else files.push({ name, source, faults: noFindings })
    } catch (error) {
      signal.throwIfAborted()
      const reason = explainRead(error)
      if (reason === undefined) throw error
      fail(reason)
    }
  }
  return files
}

async function convert(
  { store, rollupFacts, now }: LoadDeps,
  cube: Cube,
  files: readonly Opened[],
  { folder, signal, options }: { folder: string; signal: AbortSignal; options: LoadOptions },
) {
  const threads = Math.min(availableParallelism(), threadsMax)
  const { instance, connection } = await openDuckdb({
    memoryMb,
    threads,
    spillFolder: join(folder, 'spill'),
    folders: [folder],
    // Plain files are read where they are, and the engine looks where a link leads.
    files: await Promise.all(files.flatMap(({ source }) => (source ? [realpath(source.path)] : []))),
  })
  const others = await Promise.all(Array.from({ length: threads - 1 }, () => instance.connect()))
  const connections = [connection, ...others] as const
  // An interruption that comes between statements is lost, so it is said again until the work has ended.
  const interrupting = setInterval(() => {
    if (signal.aborted) for (const each of connections) each.interrupt()
  }, interruptMs)
  const today = dayOf(now())
  try {
    signal.throwIfAborted()
    return await convertFiles({
      connections,
      cube,
      files,
      rules: {
        today,
        oldest: oldestDayKept(today),
        accounts: options.mayCreateAccounts ? undefined : new Set((await listAccounts(store)).map((each) => each.id)),
        isStrict: options.isStrict ?? false,
      },
      stageFolder: join(folder, 'stage'),
      factsFolder: join(folder, 'facts'),
      rollupFacts,
      signal,
      onProgress: (step, share) => options.onProgress?.({ step, share }),
    })
  } finally {
    clearInterval(interrupting)
    for (const each of connections) each.closeSync()
    instance.closeSync()
  }
}
