import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inject } from 'vitest'
import type { Cube } from '../../src/catalog/cube.ts'
import { fileInLoad } from '../../src/facts/fact-folder.ts'
import { openDuckdb } from '../../src/duckdb/open-duckdb.ts'
import { copyTo, quoteText } from '../../src/duckdb/sql.ts'
import type { Draft, Facts, Portion } from '../../src/facts/facts.ts'
import { writeRollup } from '../../src/ingest/write-rollup.ts'
import { parseQuery } from '../../src/query/parse.ts'
import type { Query } from '../../src/query/query.ts'

/** Makes a draft of one fact for each account and day, with `value` in every measure and the given devices. */
export async function makeDraft(
  cube: Cube,
  load: number,
  portions: readonly Omit<Portion, 'load'>[],
  { value = 1, devices = [] as readonly string[], hasRollups = false } = {},
) {
  const folder = await mkdtemp(join(inject('dataFolder'), 'draft-'))
  await using duckdb = await openDuckdb({
    memoryMb: 256,
    threads: 1,
    spillFolder: join(tmpdir(), 'adcube-unused'),
    folders: [folder],
  })
  const files = []
  for (const { account, day } of portions) {
    const path = join(folder, fileInLoad({ account, day }))
    await mkdir(dirname(path), { recursive: true })
    const columns = [
      `${quoteText(account)} AS account`,
      ...cube.dimensions.map(({ column, type }) => `${type === 'date' ? `DATE '${day}'` : "''"} AS ${column}`),
      ...cube.measures.map(
        ({ column, type }) => `${value}::${type === 'count' ? 'BIGINT' : 'DECIMAL(18, 6)'} AS ${column}`,
      ),
      `list_transform([${devices.map(quoteText).join(', ')}]::VARCHAR[], lambda each: md5_number_lower(each)) AS devices`,
    ]
    await duckdb.connection.run(copyTo(path, `SELECT ${columns.join(', ')}`))
    const file = { path, account, day, rows: 1 }
    files.push({ ...file, rollup: hasRollups ? await writeRollup(duckdb.connection, cube, file) : undefined })
  }
  return { load, cube, folder, files } satisfies Draft
}

/** Makes a checked query without limits of width. */
export function makeQuery(cube: Cube, body: object, today = '2026-11-14'): Query {
  const limits = {
    endpoint: 'asynchronous',
    rate: { quota: 1, of: 'jobs', windowSeconds: 1 },
    available: { months: 13 },
    daysMax: 400,
    dimensionsMax: 100,
    metricsMax: 100,
    rowsMax: 10_000_000,
  } as const
  const range = { start: '2025-10-14', end: '2026-11-14', dimensions: [] }
  const parsed = parseQuery({ ...range, ...body }, { cube, limits, today })
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return parsed.query
}

/** Returns the sum of the facts that an engine stores for a portion; 0 if there are none. */
export async function sumOf(facts: Facts, cube: Cube, { account, day, load }: Portion): Promise<number> {
  const metric = cube.metrics.find(({ formula }) => formula.kind === 'sum')!.name
  const options = { id: crypto.randomUUID(), signal: new AbortController().signal }
  const scope = { account, visible: [{ day, load }] }
  // Without facts, one engine has no file to read, and the other returns no rows.
  const found = await facts.readRows(makeQuery(cube, { metrics: [metric] }), scope, options).catch(() => undefined)
  return found === undefined ? 0 : Number(JSON.parse(found.json.toString())[metric])
}
