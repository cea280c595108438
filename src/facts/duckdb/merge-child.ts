/** The process that merges files of facts: if it runs out of memory, a server goes on. */
import { answerParent, beginChild } from '../../concurrency/child-process.ts'
import { openDuckdb, type DuckdbOptions } from '../../duckdb/open-duckdb.ts'
import { bindParams, copyTo, readParquet } from '../../duckdb/sql.ts'

export type MergeOrder = {
  readonly duckdb: DuckdbOptions
  readonly files: readonly string[]
  /** The merged file. */
  readonly target: string
}

/** As for loads. */
const niceness = 10

beginChild(niceness)

answerParent(async ({ duckdb, files, target }: MergeOrder) => {
  await using engine = await openDuckdb(duckdb)
  await engine.connection.run(copyTo(target, `FROM ${readParquet('files')}`), ...bindParams({ files }))
})
