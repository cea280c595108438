/**
 * The process that makes one report. The engine writes CSV into a named pipe; this process reads it, compresses and
 * measures it, and sends it to the parent.
 */
import { execFile } from 'node:child_process'
import { constants, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Socket } from 'node:net'
import { constants as os } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { answerParent, beginChild } from '../../concurrency/child-process.ts'
import { openDuckdb, type DuckdbOptions } from '../../duckdb/open-duckdb.ts'
import { bindParams, copyTo } from '../../duckdb/sql.ts'
import { watchProgress } from '../../duckdb/watch-statements.ts'
import type { Statement } from '../compile.ts'
import type { MadeCsv } from '../facts.ts'
import { packCsv } from '../pack-csv.ts'

export type ExportOrder = { readonly duckdb: DuckdbOptions; readonly statement: Statement }

beginChild(os.priority.PRIORITY_LOW)

answerParent(async ({ duckdb, statement }: ExportOrder, { onProgress }): Promise<MadeCsv> => {
  const pipe = join(duckdb.spillFolder, 'csv')
  await promisify(execFile)('mkfifo', ['-m', '600', pipe])
  // Held open for writing, so that the reader does not see the end of the file before the engine has begun.
  const keeper = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK)
  const csv = new Socket({
    fd: openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK),
    readable: true,
    writable: false,
  })

  // Not closed, because that would wait for its threads: the parent kills the process.
  const { connection } = await openDuckdb(duckdb)
  using _ = watchProgress(connection, onProgress)
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
})
