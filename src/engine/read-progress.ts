import type { Engine } from './engine.ts'

/** Of the time: so much of it at most is asking. An engine that is slow to answer is asked more rarely. */
const askingShareMax = 0.02

/** How far the engine is with a statement, by its own count. */
export class StatementProgress {
  rowsRead = 0
  /** Of what there is to read, from 0 to 1, where the engine knows how much there is. */
  shareRead = 0
  readonly #engine: Engine
  readonly #queryId: string
  #askAt = 0

  constructor(engine: Engine, queryId: string) {
    this.#engine = engine
    this.#queryId = queryId
  }

  /** Asks the engine, unless it was asked a moment ago; what it says is there some time later. */
  look(): void {
    const startedAt = performance.now()
    if (startedAt < this.#askAt) return
    this.#askAt = Infinity
    this.#ask()
      // Progress is for people to look at; what is wrong shows in the statement itself.
      .catch(() => {})
      .finally(() => (this.#askAt = performance.now() + (performance.now() - startedAt) / askingShareMax))
  }

  async #ask(): Promise<void> {
    const result = await this.#engine.writer().query({
      query: `SELECT toFloat64(read_rows) AS done, toFloat64(total_rows_approx) AS total
        FROM system.processes WHERE query_id = {id:String}`,
      query_params: { id: this.#queryId },
      format: 'JSONEachRow',
    })
    const [row] = await result.json<{ done: number; total: number }>()
    if (!row) return
    this.rowsRead = row.done
    if (row.total > 0) this.shareRead = Math.max(this.shareRead, Math.min(1, row.done / row.total))
  }
}
