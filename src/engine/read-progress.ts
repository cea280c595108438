import type { Engine } from './engine.ts'

/** How much of what a query has to read it has read, from 0 to 1; undefined where the engine does not say. */
export async function readProgress(engine: Engine, queryId: string): Promise<number | undefined> {
  const result = await engine.writer().query({
    query: 'SELECT read_rows AS done, total_rows_approx AS total FROM system.processes WHERE query_id = {id:String}',
    query_params: { id: queryId },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ done: string; total: string }>()
  if (!row || Number(row.total) === 0) return undefined
  return Math.min(1, Number(row.done) / Number(row.total))
}

/** How many rows a statement has read so far; undefined where it does not run. */
export async function readRowsRead(engine: Engine, queryId: string): Promise<number | undefined> {
  const result = await engine.writer().query({
    query: 'SELECT toFloat64(read_rows) AS rows FROM system.processes WHERE query_id = {id:String}',
    query_params: { id: queryId },
    format: 'JSONEachRow',
  })
  return (await result.json<{ rows: number }>())[0]?.rows
}
