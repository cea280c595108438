import type { Engine } from '../engine/engine.ts'
import { readRowsRead } from '../engine/read-progress.ts'
import type { Source } from './open-source.ts'

export type LoadProgress = {
  readonly file: number
  readonly files: number
  readonly name: string
  /** Of this file and all before it. */
  readonly rows: number
  /** Of this file, from 0 to 1; undefined where nobody knows how much there is. */
  readonly share: number | undefined
}

const tellMs = 500
/** Of the time: so much of it at most is asking how far the engine is. */
const askingShareMax = 0.05

/** Tells how far a file is, twice a second, until it is disposed of. */
export function watchIntake(
  engine: Engine,
  source: Source,
  options: {
    readonly queryId: string
    readonly file: number
    readonly files: number
    readonly rowsBefore: number
    readonly onProgress: ((progress: LoadProgress) => void) | undefined
  },
) {
  const { queryId, file, files, rowsBefore, onProgress } = options
  // Nobody looks: the engine need not be asked.
  if (!onProgress) return { rows: 0, [Symbol.dispose]: () => {} }
  const watch = { rows: 0, [Symbol.dispose]: () => clearInterval(timer) }
  let askAt = 0
  const timer = setInterval(() => {
    onProgress({ file, files, name: source.name, rows: rowsBefore + watch.rows, share: shareOf(source, watch.rows) })
    const startedAt = performance.now()
    if (startedAt < askAt) return
    askAt = Infinity
    readRowsRead(engine, queryId)
      .then((rows) => (watch.rows = Math.max(watch.rows, rows ?? 0)))
      // Progress is for people to look at; what is wrong shows in the load itself.
      .catch(() => {})
      .finally(() => (askAt = performance.now() + (performance.now() - startedAt) / askingShareMax))
  }, tellMs)
  return watch
}

/** Rows are the truth where their number is known; where it is not, bytes sent are close to it. */
function shareOf(source: Source, rowsDone: number): number | undefined {
  const { rows, bytes } = source
  if (rows !== undefined) return rows === 0 ? 1 : Math.min(1, rowsDone / rows)
  return bytes === undefined || bytes === 0 ? undefined : Math.min(1, source.bytesRead() / bytes)
}
