import { stat } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import { inParallel } from '../../concurrency/in-parallel.ts'
import { inspectFile } from '../file-digest.ts'
import type { FactFolder } from '../fact-folder.ts'
import type { Damage, Portion } from '../facts.ts'

/** A file that a query is about to open, with what is recorded of it. */
export type OpenedFile = Portion & {
  readonly path: string
  readonly kind: 'facts' | 'merged' | 'rollup'
  readonly bytes: number | null
  readonly checksum: string | null
}

/** A tenth of a millisecond for 100 KB. Larger files of facts are checked by a chore alone. */
const bytesMax = 2 ** 20
const readAtOnce = 8
/** About 150 bytes each. A file that is forgotten is checked again. */
const knownMax = 50_000
const damagedMax = 1_000

/** Checks rollups and small files of facts when a query opens them for the first time since the start. */
export class OpenedFiles {
  readonly #folder: FactFolder
  readonly #onDamage: (damage: Damage) => void
  readonly #known = new LRUCache<string, true>({ max: knownMax })
  /** To report each only once. They are checked with every query, because they may be repaired. */
  readonly #damaged = new LRUCache<string, true>({ max: damagedMax })

  constructor(folder: FactFolder, onDamage: (damage: Damage) => void) {
    this.#folder = folder
    this.#onDamage = onDamage
  }

  /** Returns those of the files that differ from their record. */
  async findDamaged(cube: string, files: readonly OpenedFile[]): Promise<readonly OpenedFile[]> {
    const unknown = files.filter(({ path }) => this.#known.get(path) === undefined)
    const damaged: OpenedFile[] = []
    if (unknown.length === 0) return damaged
    await inParallel(unknown, readAtOnce, async (file) => {
      const { path, account, day, load } = file
      const reason = (await isToCheck(file)) ? await inspectFile(path, file) : undefined
      if (reason === undefined) {
        this.#known.set(path, true)
        this.#damaged.delete(path)
        return
      }
      damaged.push(file)
      if (this.#damaged.has(path)) return
      this.#damaged.set(path, true)
      this.#onDamage({ cube, account, day, load, place: this.#folder.placeOf(path), reason })
    })
    return damaged
  }
}

/** A file that is missing is the engine's to report: it may have been removed with its load. */
async function isToCheck({ path, kind, bytes, checksum }: OpenedFile): Promise<boolean> {
  if (checksum === null || (kind === 'facts' && (bytes ?? 0) > bytesMax)) return false
  const file = await stat(path).catch(() => undefined)
  return file !== undefined && (kind === 'rollup' || file.size <= bytesMax)
}
