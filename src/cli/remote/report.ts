import { constants, createReadStream, createWriteStream, existsSync } from 'node:fs'
import { access, rename, rm } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Option, type Command } from '@commander-js/extra-typings'
import type { Cube } from '../../catalog/cube.ts'
import { asynchronousLimits } from '../../catalog/limits.ts'
import type { Adcube, CubeName, Report } from '../../client/index.ts'
import type { JobRecord } from '../../contract/answers.ts'
import { examples, withDetails } from '../command.ts'
import { cubeArgument } from '../options.ts'
import { formatCount } from '../output.ts'
import { parsed, whole } from '../parsers.ts'
import { openProgress, type ProgressBar } from '../progress-bar.ts'
import { UsageError } from '../settings.ts'
import { openClient } from './open-client.ts'
import { baseUrl, dimensions, from, last, metrics, sort, to, where } from './options.ts'
import { readQuery, type QueryFlags } from './read-query.ts'

/** They take 15 seconds: a server that is restarted while it makes a report is soon back. */
const retries = 5

export const define = (command: Command) =>
  withDetails(
    command,
    'A report has at most 10 dimensions, 10 metrics and 31 days, and all rows (up to 10,000,000) unless --limit says ' +
      'otherwise. The server continues when you interrupt it; --job fetches the report later, and resumes an ' +
      'interrupted download.',
  )
    .addArgument(cubeArgument('[cube]'))
    .addOption(dimensions)
    .addOption(metrics(false))
    .addOption(last)
    .addOption(from)
    .addOption(to)
    .addOption(where)
    .addOption(sort)
    .option('--limit <number>', 'How many rows', parsed(whole(1, asynchronousLimits.rowsMax)))
    .addOption(new Option('--job <job>', 'Fetch a report that was started before').conflicts(['metrics', 'dimensions']))
    .option('-o, --output <file>', 'Write to this file when the report is whole; - is standard output')
    .addOption(baseUrl)
    .addHelpText(
      'after',
      examples(
        'adcube report auctions -d Day,Country,OS -m Clicks,CTR --last 31d -o clicks.csv',
        'adcube report --job job_4b0f… -o clicks.csv',
        'adcube report auctions -d site -m Clicks | duckdb -c "FROM read_csv(\'/dev/stdin\')"',
      ),
    )
    .action(async (cube, flags) => {
      const open = chooseReport(flags, cube)
      const { output = '-' } = flags
      if (flags.output === undefined && process.stdout.isTTY) {
        throw new UsageError('A report is not for a terminal: give -o FILE, or send it into a pipe.')
      }
      if (!['', '.csv'].includes(extname(output).toLowerCase())) {
        throw new UsageError('A report is CSV: give -o FILE.csv.')
      }
      // Checked before the job counts against the limit of the day.
      if (output !== '-') await access(dirname(output), constants.W_OK)

      const { ReportFailed } = await import('../../client/index.ts')
      const { adcube, signal } = await openClient(flags, { retries })
      using bar = openProgress()
      let job: JobRecord | undefined
      const onProgress = (news: JobRecord): void => {
        if (job === undefined && flags.job === undefined) process.stderr.write(`Started ${news.job_id}\n`)
        job = news
        bar.show({ step: 'Making the report', share: news.progress })
      }
      try {
        const report = await open(adcube, { signal, onProgress })
        await save(report, output, { signal, isResumed: flags.job !== undefined, bar })
        bar.end()
        process.stderr.write(`${describe(report.job)}${output === '-' ? '' : ` in ${output}`}\n`)
      } catch (error) {
        bar.end()
        if (job && !(error instanceof ReportFailed)) {
          const does = job.job_status === 'PROCESSING' ? 'continues' : 'keeps'
          process.stderr.write(`The server ${does} the report. Fetch it with:\n`)
          process.stderr.write(`  adcube report --job ${job.job_id} -o ${output}\n`)
        }
        throw error
      }
    })

type Download = Pick<Report, 'job' | 'stream'>
type Open = (adcube: Adcube, options: Parameters<Adcube['openReport']>[1]) => Promise<Download>

/** Chooses between a report that was started before and a new one, with all rows unless there is a limit. */
function chooseReport(flags: QueryFlags & { readonly job?: string | undefined }, cube: Cube | undefined): Open {
  const { job, metrics, limit = asynchronousLimits.rowsMax } = flags
  if (job !== undefined) return (adcube, options) => adcube.openReport(job, options)
  if (!cube || !metrics) throw new UsageError('Give a cube and --metrics, or --job for a report that was started.')
  const query = readQuery({ ...flags, limit }, cube, Date.now())
  return (adcube, options) => adcube.report(cube.alias as CubeName, query, options)
}

type Saving = { readonly signal: AbortSignal; readonly isResumed: boolean; readonly bar: ProgressBar }

/** Writes to a .part file, which is renamed when it is complete and its checksum is right. */
async function save(report: Download, output: string, { signal, isResumed, bar }: Saving): Promise<void> {
  let done = 0
  const step = `Downloading ${describe(report.job)}`
  async function* watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      done += chunk.length
      bar.show({ step, share: done / (report.job.bytes ?? done) })
      yield chunk
    }
  }
  if (output === '-') {
    await pipeline(watch(report.stream({ signal })), process.stdout, { end: false })
    return
  }
  const part = `${output}.part`
  const have = isResumed && existsSync(part) ? watch(createReadStream(part)) : undefined
  const rest = report.stream({ signal, ...(have && { have }) })
  try {
    await pipeline(watch(rest), createWriteStream(part, { flags: have ? 'a' : 'w' }))
  } catch (error) {
    if ((error as Error).name === 'ReportDamaged') await rm(part)
    throw error
  }
  await rename(part, output)
}

function describe({ rows, bytes }: JobRecord): string {
  const count = `${formatCount(rows ?? 0)} ${rows === 1 ? 'row' : 'rows'}`
  return `${count}, ${formatBytes(bytes ?? 0)}`
}

function formatBytes(bytes: number): string {
  const power = Math.min(3, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${['B', 'kB', 'MB', 'GB'][power]}`
}
