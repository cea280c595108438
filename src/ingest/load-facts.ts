import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Cube } from '../catalog/cube.ts'
import { cubes } from '../catalog/cubes.ts'
import type { FileFormat, IntakeColumn } from '../engine/compile-intake.ts'
import { holdsLoad, removeLoads } from '../engine/delete-facts.ts'
import type { Engine } from '../engine/engine.ts'
import { readFaults, takeIn, type Faults } from '../engine/intake.ts'
import { dayOf } from '../query/day.ts'
import { oldestDayKept } from '../query/parse-range.ts'
import { listAccounts } from '../store/accounts.ts'
import { beginLoad, failLoad, keepLoadAlive, type LoadedFile, type LoadMode } from '../store/loads.ts'
import type { Store } from '../store/open-store.ts'
import { explainFault } from './explain-fault.ts'
import { findFiles, nameOf } from './find-files.ts'
import { fileFault, LoadRefused, type FileFault } from './load-refused.ts'
import { matchColumns } from './match-columns.ts'
import { explainRead, openSource, openStream, type Source } from './open-source.ts'
import { publishFacts, type Loaded } from './publish-facts.ts'
import { watchIntake, type LoadProgress } from './watch-intake.ts'

type Deps = { readonly engine: Engine; readonly store: Store; readonly now: () => number }

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

/** A loader that lives says so this often; one that is silent for a minute is given up. */
const aliveMs = 5_000

/**
 * Loads files. The days of the accounts that they hold are replaced, or added to, when all of them are stored and found
 * right; until then, and for ever if anything is wrong or breaks, nothing of them can be seen.
 */
export async function loadFacts(
  deps: Deps,
  cube: Cube,
  content: readonly string[] | { readonly name: string; readonly stream: Readable },
  options: LoadOptions = {},
): Promise<Loaded> {
  const { engine, store, now } = deps
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal

  const opening = { engine, format: options.format, signal }
  const files =
    'stream' in content
      ? [{ name: content.name, isAddress: false, open: () => openStream(content.stream, content, opening) }]
      : (await findFiles(content)).map((place) => ({
          name: nameOf(place),
          isAddress: place.kind === 'address',
          open: () => openSource(place, opening),
        }))

  const { mode = 'replace', loadedBy = '' } = options
  const id = await beginLoad(store, { cube: cube.name, mode, loadedBy, now: now() })
  const alive = setInterval(() => {
    // A store that does not answer is no reason to stop; having been given up is.
    keepLoadAlive(store, id, now()).then(
      (isOurs) => isOurs || stop.abort(new Error('The load was given up.')),
      () => {},
    )
  }, aliveMs)
  const taken: LoadedFile[] = []
  try {
    // Control data that came back from a backup give out numbers that had been given out since.
    if (await holdsLoad(engine, id)) for (const each of cubes) await removeLoads(engine, each, [id])
    const warnings = await takeInAll(deps, cube, { id, files, taken, signal, options })
    const names = files.map(({ name }) => name)
    signal.throwIfAborted()
    return await publishFacts(deps, cube, { ...options, id, mode, names, files: taken, warnings })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    // Where the store is away as well, the load is given up later.
    await failLoad(store, { id, reason, files: taken, now: now() }).catch(() => {})
    throw error
  } finally {
    clearInterval(alive)
  }
}

type Work = {
  readonly id: number
  readonly files: readonly {
    readonly name: string
    readonly isAddress: boolean
    readonly open: () => Promise<Source>
  }[]
  /** Grows by each file that is done with. */
  readonly taken: LoadedFile[]
  readonly signal: AbortSignal
  readonly options: LoadOptions
}

/** Takes all files in, one after the other; refuses the load with all that is wrong, or tells what is only strange. */
async function takeInAll(
  { engine, store, now }: Deps,
  cube: Cube,
  { id, files, taken, signal, options }: Work,
): Promise<Faults> {
  const today = dayOf(now())
  const rules = {
    today,
    oldest: oldestDayKept(today),
    accounts: options.mayCreateAccounts ? undefined : (await listAccounts(store)).map((account) => account.id),
    isStrict: options.isStrict ?? false,
  }
  const faults: FileFault[] = []
  let rows = 0
  for (const [file, { name, isAddress, open }] of files.entries()) {
    let source: Source | undefined
    try {
      source = await open()
      // A statement that is begun after the signal would not be stopped by it.
      signal.throwIfAborted()
      const columns = demandColumns(cube, source)
      const queryId = `load_${id}_${file}_${randomUUID()}`
      const at = { file: file + 1, files: files.length, rowsBefore: rows }
      using watch = watchIntake(engine, source, { queryId, ...at, onProgress: options.onProgress })
      await takeIn(engine, cube, { ...source, load: id, file, columns }, { ...rules, queryId, signal })
      rows += source.rows ?? watch.rows
      const described = source.describe()
      const twin = taken.find(({ checksum }) => checksum === described.checksum)
      if (twin && options.mode === 'append' && !options.mayRepeat) {
        const reason = `has the same contents as ${twin.name}; leave it out, or give --repeat`
        faults.push(fileFault(name, reason))
      }
      taken.push(described)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof LoadRefused) faults.push(...error.faults)
      else faults.push(explain(error, name, isAddress))
    } finally {
      source?.close()
    }
  }
  const { faults: found, warnings } = await readFaults(engine, id)
  const all = [...faults, ...found.first.map((fault) => ({ ...fault, file: files[fault.file]?.name ?? '' }))]
  if (all.length > 0) throw new LoadRefused(all, faults.length + found.count)
  return warnings
}

/** What a file is to blame for; what it is not is thrown on. */
function explain(error: unknown, file: string, isAddress: boolean): FileFault {
  const fault = explainFault(error, isAddress)
  if (fault) return { file, ...fault }
  const reason = explainRead(error)
  if (reason === undefined) throw error
  return fileFault(file, reason)
}

function demandColumns(cube: Cube, { name, head }: Source): readonly IntakeColumn[] {
  const matched = matchColumns(cube, head)
  if ('columns' in matched) return matched.columns
  throw new LoadRefused(matched.faults.map((reason) => fileFault(name, reason)))
}
