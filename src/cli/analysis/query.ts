import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Cube } from '../../catalog/cube.ts'
import { asynchronousLimits } from '../../catalog/limits.ts'
import { AdcubeError, type Answer, type CubeName } from '../../client/index.ts'
import { dayOf } from '../../query/day.ts'
import { parseQuery } from '../../query/parse.ts'
import { SettingsError } from '../settings.ts'
import { drawAnswer } from './draw-answer.ts'
import { readQuery, type QueryFlags } from './read-query.ts'
import { withClient, type ServerFlags } from './with-client.ts'
import { writeRows, type FileFormat } from './write-rows.ts'

type Flags = ServerFlags & QueryFlags & { readonly format?: 'table' | FileFormat; readonly output?: string }

const formatsOfFiles: Readonly<Record<string, FileFormat>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.parquet': 'parquet',
}

export async function queryCommand(flags: Flags, cube: Cube): Promise<number> {
  const { output = '-' } = flags
  const isTty = output === '-' && process.stdout.isTTY
  const format = flags.format ?? formatsOfFiles[extname(output)] ?? (isTty ? 'table' : 'csv')
  if (format === 'parquet' && isTty) throw new SettingsError(['Parquet is not for a terminal: give -o FILE.'])
  const query = readQuery(flags, cube, Date.now())
  return withClient(flags, async (adcube, signal) => {
    const { data, meta } = await adcube.query(cube.alias as CubeName, query, { signal }).catch((error: unknown) => {
      const asReport = parseQuery(query, { cube, limits: asynchronousLimits, today: dayOf(Date.now()) })
      if (error instanceof AdcubeError && error.code === 'invalid_query' && 'query' in asReport) {
        process.stderr.write('This is more than a query may ask for; `adcube report` takes the same options.\n')
      }
      throw error
    })
    const screen = { isTty, columns: process.stdout.columns, hasColor: isTty && process.stdout.hasColors() }
    const written =
      format === 'table' ? drawAnswer(cube, query, data, screen) : await writeRows(format, cube, query, data)
    if (output === '-') process.stdout.write(written)
    else await writeFile(output, written)
    process.stderr.write(describe(meta))
    if (meta.truncated && flags.limit === undefined) process.stderr.write('`adcube report` gives all rows.\n')
    return 0
  })
}

function describe({ rows, start, end, truncated, data_through: through }: Answer<string, string>['meta']): string {
  const count = `${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}`
  const days = start === end ? start : `${start} to ${end}`
  const loaded = through === null ? 'no data is loaded' : `data through ${through}`
  return `${truncated ? 'First ' : ''}${count}, ${days}; ${loaded}\n`
}
