import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { FactFolder } from '../fact-folder.ts'
import type { EngineFinding } from '../facts.ts'

type Settings = { readonly folder: string; readonly owner: string | undefined; readonly queryMemoryMb: number }

/** Opens an engine in this process as the query process does, and checks the owner of the facts. */
export async function inspectDuckdb(settings: Settings): Promise<readonly EngineFinding[]> {
  const folder = new FactFolder(settings.folder)
  const { root } = folder
  const found = await folder.readOwner()
  if (found !== undefined && settings.owner !== undefined && found !== settings.owner) {
    const advice = 'set ADCUBE_DATA_DIR and ADCUBE_DATABASE_URL to the ones that go together.'
    return [{ status: 'fail', detail: `The facts in ${root} belong to other control data: ${advice}` }]
  }
  try {
    // Fails on platforms that the library does not support.
    const { openDuckdb } = await import('../../duckdb/open-duckdb.ts')
    const spillFolder = join(tmpdir(), `adcube-doctor-${process.pid}`)
    const threads = availableParallelism()
    const options = { memoryMb: settings.queryMemoryMb, threads, spillFolder, folders: [root] }
    await using duckdb = await openDuckdb(options)
    const reader = await duckdb.connection.runAndReadAll('SELECT version(), sum(range) FROM range(1000000)')
    const [version] = reader.getRows()[0] ?? []
    return [
      { status: 'ok', detail: `DuckDB ${String(version)} with ${settings.queryMemoryMb} MB and ${threads} threads` },
    ]
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return [{ status: 'fail', detail: `DuckDB does not run here: ${message}. Install again with npm ci.` }]
  }
}
