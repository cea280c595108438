import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cube } from '../catalog/cube.ts'
import type { FileFormat } from './file-columns.ts'
import { columnsOfLoad, listColumns } from '../facts/stored-columns.ts'
import type { DraftFile, Facts } from '../facts/facts.ts'
import { dayOf } from '../query/day.ts'
import { oldestDayKept } from '../query/parse-range.ts'
import { listAccounts } from '../store/accounts.ts'
import { findVisibleLoads, type LoadedFile, type LoadMode } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'
import { convertFiles } from './convert-files.ts'
import { beginLoad, endedBySweep, failLoad, updateOpenLoad } from './load-state.ts'
import { openSources } from './open-source.ts'
import { explainRefusal, publishLoad } from './publish-load.ts'
import { sweepDrafts } from './sweep-facts.ts'

export type LoadDeps = {
  readonly facts: Facts
  readonly store: Store
  /** Each load is converted in a folder of its own below it. */
  readonly draftsFolder: string
  /** Minimum facts per account and day for a rollup; 0: no rollups. */
  readonly rollupFacts: number
  /** The most disk space for what does not fit into memory. */
  readonly spillMb?: number | undefined
  readonly now: () => number
}

export type LoadOptions = {
  readonly mode?: LoadMode
  readonly loadedBy?: string
  /** Turns warnings into faults. */
  readonly isStrict?: boolean
  /** Creates accounts that do not exist. */
  readonly mayCreateAccounts?: boolean
  /** Appends files again that were appended before. */
  readonly mayRepeat?: boolean
  readonly format?: FileFormat | undefined
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: LoadProgress) => void
}

export type Loaded = Awaited<ReturnType<typeof loadFacts>>

type LoadProgress = {
  readonly step: 'Fetching' | 'Reading' | 'Writing' | 'Storing'
  /** The share of this step that is done, from 0 to 1; undefined if its size is unknown. */
  readonly share: number | undefined
  /** The file that is fetched. */
  readonly name?: string
}

/** The heartbeat of a load. A load without one for a minute is ended. */
const aliveMs = 5_000

/**
 * Loads files: replaces the days of the accounts in them, or adds to these days. The facts become visible together, when
 * all are stored; if anything fails, none of them ever is.
 */
export async function loadFacts(deps: LoadDeps, cube: Cube, operands: readonly string[], options: LoadOptions = {}) {
  const { store, now, draftsFolder } = deps
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  const { mode = 'replace', loadedBy = '', isStrict = false, mayCreateAccounts = false, mayRepeat = false } = options
  const { format, onProgress } = options
  const id = await beginLoad(store, { cube: cube.name, mode, loadedBy, columns: listColumns(cube), now: now() })
  const alive = setInterval(() => {
    // If the database does not answer, the load goes on; if it has ended the load, it stops.
    updateOpenLoad(store, id, { aliveAt: now() }).then(
      (isAlive) => isAlive || stop.abort(new Error(endedBySweep)),
      () => {},
    )
  }, aliveMs)
  const folder = join(draftsFolder, String(id))
  // A sweep removes what cannot be removed now.
  const removeDrafts = () => rm(folder, { recursive: true, force: true }).catch(() => {})
  const opened: LoadedFile[] = []
  try {
    await sweepDrafts(deps)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const sources = await openSources(operands, {
      folder,
      mode,
      mayRepeat,
      format,
      signal,
      onBytes: (name, done, all) => onProgress?.({ step: 'Fetching', share: all ? done / all : undefined, name }),
    })
    opened.push(...sources.flatMap((source) => ('record' in source ? source.record : [])))
    const today = dayOf(now())
    const accounts = mayCreateAccounts ? undefined : new Set((await listAccounts(store)).map((account) => account.id))
    const { files, warnings } = await convertFiles({
      cube,
      files: sources,
      rules: { today, oldest: oldestDayKept(today), accounts, isStrict },
      folder,
      rollupFacts: deps.rollupFacts,
      spillMb: deps.spillMb,
      signal,
      onProgress: (step, share) => onProgress?.({ step, share }),
    })
    await deps.facts.addLoad(
      { load: id, cube, folder: join(folder, 'facts'), files },
      { signal, onProgress: (share) => onProgress?.({ step: 'Storing', share }) },
    )
    signal.throwIfAborted()
    const rows = files.reduce((sum, file) => sum + file.rows, 0)
    const record = { id, cube: cube.name, mode, days: files, rows, files: opened, warnings }
    const outcome = await publishLoad(store, { ...record, mayCreateAccounts, mayRepeat, now: now() })
    const failure = outcome.refusal && explainRefusal(outcome)
    if (failure) throw failure
    // The facts are visible already; merging only makes them faster to read.
    if (mode === 'append') await mergeAppended(deps, cube, files).catch(() => {})
    const days = [...new Set(files.map(({ day }) => day))].toSorted()
    return {
      id,
      rows,
      accounts: new Set(files.map(({ account }) => account)).size,
      days: days.length,
      firstDay: days[0] ?? '',
      lastDay: days.at(-1) ?? '',
      /** The accounts that were created. */
      created: 'created' in outcome ? outcome.created : [],
      warnings,
      /** The earlier load of the same files; then nothing was added. */
      repeated: outcome.refusal === 'repeated' ? outcome.load : undefined,
    }
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error
    const text = reason instanceof Error ? reason.message : String(reason)
    // First, because on a full disk the failure can be recorded only when the drafts are gone.
    await removeDrafts()
    // If the database is away too, a sweep ends the load later.
    await failLoad(store, { id, reason: text, files: opened, now: now() }).catch(() => {})
    throw reason
  } finally {
    clearInterval(alive)
    await removeDrafts()
  }
}

/** Merges the loads of days that were appended to, if all have the same columns. */
export async function mergeAppended(
  { facts, store }: Pick<LoadDeps, 'facts' | 'store'>,
  cube: Cube,
  appended: readonly Pick<DraftFile, 'account' | 'day'>[],
): Promise<void> {
  const days = await Promise.all(
    appended.map(async ({ account, day }) => {
      const visible = await findVisibleLoads(store, { cube: cube.name, account, start: day, end: day })
      const isUniform = new Set(visible.map(({ columns }) => columnsOfLoad(cube, columns))).size === 1
      return isUniform ? [{ account, day, loads: visible }] : []
    }),
  )
  await facts.mergeDays(cube, days.flat())
}
