import type { Engine } from '../engine/engine.ts'
import { StatementProgress } from '../engine/read-progress.ts'
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
  const progress = new StatementProgress(engine, queryId)
  const timer = setInterval(() => {
    const { rowsRead } = progress
    onProgress({ file, files, name: source.name, rows: rowsBefore + rowsRead, share: shareOf(source, rowsRead) })
    progress.look()
  }, tellMs)
  return {
    get rows() {
      return progress.rowsRead
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** What is read is not yet stored. */
const shareMax = 0.99

/** Rows are the truth where their number is known; where it is not, bytes sent are close to it. */
function shareOf(source: Source, rowsDone: number): number | undefined {
  const { rows, bytes } = source
  const share = rows === undefined ? source.bytesRead() / (bytes ?? 0) : rowsDone / rows
  return Number.isFinite(share) ? Math.min(shareMax, share) : undefined
}
