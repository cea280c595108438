/**
 * The process that answers API queries. Queries block threads of the runtime's pool, and a crash or a lack of memory must
 * cost the queries in flight, not the server.
 */
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'
import { LRUCache } from 'lru-cache'
import { answerParent, beginChild } from '../../concurrency/child-process.ts'
import { openDuckdb, type DuckdbOptions } from '../../duckdb/open-duckdb.ts'
import { bindParams } from '../../duckdb/sql.ts'
import { interruptOn } from '../../duckdb/watch-statements.ts'
import type { Statement } from '../compile.ts'
import { gatherRows, type GatheredRows } from '../facts.ts'
import { rowTexts } from './row-text.ts'

/** A statement that reads one row more than the limit. */
export type Asked = Statement & { readonly limit: number }

export type Answered = GatheredRows & { readonly memoryMb: number }

/** The server has 0, because probes and refusals must not wait for queries; loads have 10 and reports 19. */
const niceness = 5
/** Values are bound, so that even busy servers see few different statements. One takes some 30 KB. */
const statementsMax = 100

beginChild(niceness)
const duckdb = await openDuckdb(JSON.parse(process.argv[2] ?? '') as DuckdbOptions)

/** Keeps prepared statements. A connection runs one statement at a time. */
class QueryConnection {
  readonly #connection: DuckDBConnection
  readonly #prepared = new LRUCache<string, DuckDBPreparedStatement>({
    max: statementsMax,
    dispose: (statement) => statement.destroySync(),
  })

  constructor(connection: DuckDBConnection) {
    this.#connection = connection
  }

  /** The rows as JSON text. */
  async readRows({ sql, params }: Statement, signal: AbortSignal): Promise<string[]> {
    using _ = interruptOn(signal, [this.#connection])
    const prepared = this.#prepared.get(sql) ?? (await this.#prepare(sql))
    prepared.bind(...bindParams(params))
    const result = await prepared.run()
    const names = result.columnNames()
    const chunks = Array.from({ length: result.chunkCount }, (_, index) => result.getChunk(index))
    return chunks.flatMap((chunk) => rowTexts(names, chunk.getColumns()))
  }

  async #prepare(sql: string): Promise<DuckDBPreparedStatement> {
    const prepared = await this.#connection.prepare(sql)
    this.#prepared.set(sql, prepared)
    return prepared
  }
}

const idle = [new QueryConnection(duckdb.connection)]

answerParent(async ({ limit, ...statement }: Asked, { signal }): Promise<Answered> => {
  const connection = idle.pop() ?? new QueryConnection(await duckdb.connect())
  try {
    const rows = await connection.readRows(statement, signal)
    return { ...gatherRows(rows, limit), memoryMb: process.memoryUsage.rss() / 2 ** 20 }
  } finally {
    // A statement forgets the interruptions before it.
    idle.push(connection)
  }
})
