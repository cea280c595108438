import { writeFile } from 'node:fs/promises'
import { Option, type Command } from '@commander-js/extra-typings'
import { asynchronousLimits, synchronousLimits } from '../../catalog/limits.ts'
import type { Answer, CubeName } from '../../client/index.ts'
import { dayOf } from '../../query/day.ts'
import { examples, withDetails } from '../command.ts'
import { cubeArgument } from '../options.ts'
import { formatCount } from '../output.ts'
import { parsed, whole } from '../parsers.ts'
import { UsageError } from '../settings.ts'
import { openClient } from './open-client.ts'
import { baseUrl, dimensions, from, last, metrics, sort, to, where } from './options.ts'
import { readQuery } from './read-query.ts'
import { fileFormats, formatOfFile, writeRows } from './write-rows.ts'

const formats = ['table', ...fileFormats] as const

export const define = (command: Command) =>
  withDetails(
    command,
    'It prints a table on a terminal, and CSV into a pipe. A query has at most 2 dimensions, 5 metrics, 14 days and ' +
      '1,000 rows. Names of fields match in any case, and with _ instead of spaces: net_revenue is Net Revenue. `adcube fields` lists them.',
  )
    .addArgument(cubeArgument('<cube>'))
    .addOption(dimensions)
    .addOption(metrics(true))
    .addOption(last)
    .addOption(from)
    .addOption(to)
    .addOption(where)
    .addOption(sort)
    .option('--limit <number>', 'How many rows, at most 1,000', parsed(whole(1, synchronousLimits.rowsMax)))
    .addOption(new Option('--format <format>', 'Format; if omitted, that of the FILE').choices(formats))
    .addOption(new Option('--json', 'The same as --format json').implies({ format: 'json' }))
    .option('-o, --output <file>', 'Write to this file')
    .addOption(baseUrl)
    .addHelpText(
      'after',
      examples(
        'adcube query auctions -d Country -m Auctions,eCPM --sort -eCPM --limit 20',
        'adcube query auctions -d Day -m net_revenue --last 14d --where "OS=iOS"',
        'adcube query auctions -m Clicks --where "App Name like Chess%"',
        'adcube query platform-performance -d Day,OS -m Fills -o fills.parquet',
      ),
    )
    .action(async (cube, flags) => {
      const { output = '-' } = flags
      const isTty = output === '-' && process.stdout.isTTY
      const format = flags.format ?? formatOfFile(output, isTty ? 'table' : 'csv')
      if (format === 'parquet' && isTty) throw new UsageError('Parquet is not for a terminal: give -o FILE.')
      const query = readQuery(flags, cube, Date.now())
      const { adcube, signal } = await openClient(flags)
      const { data, meta } = await adcube
        .query(cube.alias as CubeName, query, { signal })
        .catch(async (error: unknown) => {
          const [{ AdcubeError }, { parseQuery }] = await Promise.all([
            import('../../client/index.ts'),
            import('../../query/parse.ts'),
          ])
          const asReport = parseQuery(query, { cube, limits: asynchronousLimits, today: dayOf(Date.now()) })
          if (error instanceof AdcubeError && error.code === 'invalid_query' && 'query' in asReport) {
            process.stderr.write('This exceeds the limits of a query. Run `adcube report` with the same options.\n')
          }
          throw error
        })
      const { drawAnswer } = await import('./draw-answer.ts')
      const screen = { isTty, columns: process.stdout.columns, hasColor: isTty && process.stdout.hasColors() }
      const written =
        format === 'table' ? drawAnswer(cube, query, data, screen) : await writeRows(format, cube, query, data)
      if (output === '-') process.stdout.write(written)
      else await writeFile(output, written)
      process.stderr.write(describe(meta))
      if (meta.truncated && flags.limit === undefined) process.stderr.write('`adcube report` gives all rows.\n')
    })

function describe({ rows, start, end, truncated, data_through: through }: Answer<string, string>['meta']): string {
  const count = `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`
  const days = start === end ? start : `${start} to ${end}`
  const loaded = through === null ? 'no data is loaded' : `data through ${through}`
  return `${truncated ? 'First ' : ''}${count}, ${days}; ${loaded}\n`
}
