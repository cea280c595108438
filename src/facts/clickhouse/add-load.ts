import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Cube } from '../../catalog/cube.ts'
import { inParallel } from '../../concurrency/in-parallel.ts'
import { withDeadline } from '../errors.ts'
import type { AddOptions, Draft } from '../facts.ts'
import { mergeSmallFiles, type FileToSend } from './merge-small-files.ts'
import { removeLoads } from './remove-facts.ts'
import { declareColumn, rollupTable, sketch } from './schema.ts'
import { queryIdPrefixOf, secondsOf, type Server } from './server.ts'
import { toFactsError } from './trouble.ts'

/** A few keep the server busy, and it holds each file in memory. */
const insertsAtOnce = 4

type Insert = FileToSend & { readonly sql: string; readonly params: Readonly<Record<string, unknown>> }

/** Sends the files of a draft. When one fails, the others are stopped. */
export async function addLoad(server: Server, draft: Draft, { signal, onProgress }: AddOptions): Promise<void> {
  // Control data restored from a backup reuse the numbers of later loads, whose facts nobody needs.
  await removeLoads(server, draft.cube, [draft.load])
  const failed = new AbortController()
  const stopped = AbortSignal.any([signal, failed.signal])
  const rowsAll = draft.files.reduce((sum, { rows, rollup }) => sum + rows + (rollup?.rows ?? 0), 0)
  let rowsDone = 0
  await inParallel(listInserts(draft), insertsAtOnce, async (insert) => {
    await insertFile(server, draft.load, insert, stopped).catch((error: unknown) => {
      failed.abort(error)
      throw error
    })
    rowsDone += insert.rows
    onProgress(rowsDone / rowsAll)
  })
  await rm(draft.folder, { recursive: true, force: true })
}

async function* listInserts(draft: Draft): AsyncGenerator<Insert> {
  const { cube, load, files } = draft
  const sql = compileInsert(cube)
  for await (const file of mergeSmallFiles(draft)) yield { ...file, sql, params: { load } }
  for (const { account, rollup } of files) {
    if (rollup) yield { ...rollup, sql: compileRollupInsert(cube), params: { load, account } }
  }
}

async function insertFile(
  { clients, timeouts }: Server,
  load: number,
  { path, rows, sql, params }: Insert,
  signal: AbortSignal,
): Promise<void> {
  const msMax = timeouts.insertMsMax
  await withDeadline({ msMax, signal, toFactsError }, async (signal) => {
    const values = createReadStream(path)
    try {
      const { stream, summary } = await clients.writer.exec({
        query: sql,
        values,
        query_params: params,
        query_id: `${queryIdPrefixOf(load)}${randomUUID()}`,
        abort_signal: signal,
        clickhouse_settings: {
          wait_end_of_query: 1,
          async_insert: 0,
          // The same facts may be loaded again after their removal.
          insert_deduplicate: 0,
          // Queries go first.
          max_insert_threads: '1',
          os_thread_priority: '19',
          // With limits of its own, a server may stop half-way and report success.
          max_execution_time: secondsOf(msMax),
          timeout_overflow_mode: 'throw',
          read_overflow_mode: 'throw',
        },
      })
      await text(addAbortSignal(signal, stream))
      if (Number(summary?.written_rows) === rows) return
      throw new Error(`ClickHouse stored ${summary?.written_rows} of the ${rows} facts in ${path}`)
    } finally {
      // Disposing of a stream that has failed would throw, and hide why the insert failed.
      values.destroy()
    }
  })
}

/** The server makes sketches of the hashes in a file. */
function compileInsert({ table, dimensions, measures }: Cube): string {
  const texts = dimensions.filter(({ type }) => type === 'string').map(({ column }) => column)
  const columns = ['account', 'day', ...texts, ...measures.map(({ column }) => column)]
  const structure = [
    'account LowCardinality(String)',
    'day Date',
    ...texts.map((column) => `${column} LowCardinality(String)`),
    ...measures.map(declareColumn),
    'devices Array(UInt64)',
  ]
  const facts = `SELECT {load:UInt64}, ${columns.join(', ')}, arrayReduce('${sketch('State')}', devices)`
  return insertFrom(structure, `${table} (load, ${columns.join(', ')}, devices)`, facts)
}

/** The file of a rollup does not name its account. */
function compileRollupInsert(cube: Cube): string {
  const columns = ['day', 'dimension', 'value', ...cube.measures.map(({ column }) => column)]
  const structure = ['day Date', 'dimension String', 'value String', ...cube.measures.map(declareColumn)]
  const sums = `SELECT {load:UInt64}, {account:String}, ${columns.join(', ')}`
  return insertFrom(structure, `${rollupTable(cube)} (load, account, ${columns.join(', ')})`, sums)
}

const insertFrom = (structure: readonly string[], target: string, select: string): string =>
  [`INSERT INTO ${target}`, select, `FROM input('${structure.join(', ')}')`, 'FORMAT Parquet'].join('\n')
