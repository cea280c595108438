/**
 * The process that makes one report: the engine writes CSV into a pipe, and this end of it is compressed, measured and
 * sent to the parent. It gives way to everybody else, and its end is the end of the work.
 */
import { execFile } from 'node:child_process'
import { constants, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Socket } from 'node:net'
import { constants as priorities, setPriority } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDuckdb, type DuckdbOptions } from '../../duckdb/open-duckdb.ts'
import { bindParams, copyTo } from '../../duckdb/sql.ts'
import { watchProgress } from '../../duckdb/watch-statements.ts'
import { endWithParent } from '../../processes/end-with-parent.ts'
import type { Statement } from '../compile.ts'
import type { MadeCsv } from '../facts.ts'
import { packCsv } from '../pack-csv.ts'

export type ExportOrder = { readonly duckdb: DuckdbOptions; readonly statement: Statement }

export type ExportNews = { readonly progress: number } | { readonly made: MadeCsv } | { readonly error: string }

endWithParent()
// Before any thread is made, so that all of them have it.
setPriority(priorities.priority.PRIORITY_LOW)
// A parent that is gone is heard of elsewhere.
const tell = (news: ExportNews): void => void process.send?.(news, () => {})

process.once('message', (order: ExportOrder) => {
  make(order).then(
    (made) => tell({ made }),
    (error: unknown) => tell({ error: error instanceof Error ? error.message : String(error) }),
  )
})

async function make({ duckdb, statement }: ExportOrder): Promise<MadeCsv> {
  const pipe = join(duckdb.spillFolder, 'csv')
  await promisify(execFile)('mkfifo', ['-m', '600', pipe])
  // Held open for writing, so that the reader does not see an end before the engine has begun.
  const keeper = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK)
  const csv = new Socket({
    fd: openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK),
    readable: true,
    writable: false,
  })

  // Never closed, for that would wait for its threads: the end of the process is the end of all.
  const { connection } = await openDuckdb(duckdb)
  using _ = watchProgress(connection, (progress) => tell({ progress }))
  const stop = new AbortController()
  const packed = packCsv(csv, process.stdout, stop.signal)
  packed.catch(() => connection.interrupt())
  try {
    const copy = copyTo(pipe, statement.sql, "FORMAT csv, HEADER true, NEW_LINE '\\r\\n', USE_TMP_FILE false")
    const written = await connection.run(copy, ...bindParams(statement.params))
    await keeper.close()
    const made = await packed
    if (made.rows !== written.rowsChanged) throw new Error('not all rows of the export arrived')
    return made
  } catch (error) {
    stop.abort()
    throw error
  }
}
