import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'
import { LRUCache } from 'lru-cache'
import { bindParams } from '../../duckdb/sql.ts'
import type { Statement } from '../compile.ts'
import { rowTexts } from './row-text.ts'

/** Values are bound, so that even busy servers see few different ones. One takes some 30 KB. */
const statementsMax = 100

/** A connection that parses a statement once, however often it is asked. It is for one query at a time. */
export class QueryConnection {
  readonly #connection: DuckDBConnection
  readonly #prepared = new LRUCache<string, DuckDBPreparedStatement>({
    max: statementsMax,
    dispose: (statement) => statement.destroySync(),
  })

  constructor(connection: DuckDBConnection) {
    this.#connection = connection
  }

  /** The rows that a statement finds, as JSON text. */
  async readRows({ sql, params }: Statement): Promise<string[]> {
    const prepared = await this.#prepare(sql)
    prepared.bind(...bindParams(params))
    const result = await prepared.run()
    const names = result.columnNames()
    const chunks = Array.from({ length: result.chunkCount }, (_, index) => result.getChunk(index))
    return chunks.flatMap((chunk) => rowTexts(names, chunk.getColumns()))
  }

  interrupt(): void {
    this.#connection.interrupt()
  }

  async #prepare(sql: string): Promise<DuckDBPreparedStatement> {
    const known = this.#prepared.get(sql)
    if (known) return known
    const prepared = await this.#connection.prepare(sql)
    this.#prepared.set(sql, prepared)
    return prepared
  }
}
