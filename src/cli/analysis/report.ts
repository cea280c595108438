import { constants, createReadStream, createWriteStream, existsSync } from 'node:fs'
import { access, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Cube } from '../../catalog/cube.ts'
import { asynchronousLimits } from '../../catalog/limits.ts'
import { ReportDamaged, ReportFailed, type Adcube, type CubeName, type Report } from '../../client/index.ts'
import type { JobRecord } from '../../contract/answers.ts'
import { ProgressBar } from '../progress-bar.ts'
import { SettingsError } from '../settings.ts'
import { readQuery, type QueryFlags } from './read-query.ts'
import { withClient, type ServerFlags } from './with-client.ts'

type Flags = ServerFlags & QueryFlags & { readonly output?: string; readonly job?: string }

/** Fifteen seconds: a server that is restarted while it makes a report is soon back. */
const retries = 5

export async function reportCommand(flags: Flags, cube: Cube | undefined): Promise<number> {
  const open = opener(flags, cube)
  const { output = '-' } = flags
  if (flags.output === undefined && process.stdout.isTTY) {
    throw new SettingsError(['A report is not for a terminal: give -o FILE, or send it into a pipe.'])
  }
  if (/\.(?:json|ndjson|parquet)$/.test(output)) throw new SettingsError(['A report is CSV: give -o FILE.csv.'])
  // Before it costs one of the jobs of the day.
  if (output !== '-') await access(dirname(output), constants.W_OK)

  const fetchReport = async (adcube: Adcube, signal: AbortSignal): Promise<number> => {
    const bar = new ProgressBar(process.stderr, Date.now)
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
      return 0
    } catch (error) {
      bar.end()
      if (job && !(error instanceof ReportFailed)) {
        const does = job.job_status === 'PROCESSING' ? 'goes on with' : 'keeps'
        process.stderr.write(`The server ${does} the report. Fetch it with:\n`)
        process.stderr.write(`  adcube report --job ${job.job_id} -o ${output}\n`)
      }
      throw error
    }
  }
  return withClient(flags, fetchReport, { retries })
}

/** Its bytes, whatever its columns are. */
type Download = Pick<Report, 'job' | 'stream'>
type Open = (
  adcube: Adcube,
  options: { signal: AbortSignal; onProgress: (job: JobRecord) => void },
) => Promise<Download>

/** A report that was started before, or a new one with all rows that it may have. */
function opener(flags: Flags, cube: Cube | undefined): Open {
  const { job, metrics, limit = asynchronousLimits.rowsMax } = flags
  if (job !== undefined) return (adcube, options) => adcube.openReport(job, options)
  if (!cube || !metrics) throw new SettingsError(['Give a cube and --metrics, or --job for a report that was started.'])
  const query = readQuery({ ...flags, limit }, cube, Date.now())
  return (adcube, options) => adcube.report(cube.alias as CubeName, query, options)
}

type Saving = { readonly signal: AbortSignal; readonly isResumed: boolean; readonly bar: ProgressBar }

/** A file has its name when it is whole and right, and not before. */
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
    if (error instanceof ReportDamaged) await rm(part)
    throw error
  }
  await rename(part, output)
}

function describe({ rows, bytes }: JobRecord): string {
  const count = `${(rows ?? 0).toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}`
  return `${count}, ${spellBytes(bytes ?? 0)}`
}

function spellBytes(bytes: number): string {
  const power = Math.min(3, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${['B', 'kB', 'MB', 'GB'][power]}`
}
