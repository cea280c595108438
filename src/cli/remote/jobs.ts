import { Option, type Command } from '@commander-js/extra-typings'
import { findCube } from '../../catalog/cubes.ts'
import type { JobRecord } from '../../contract/answers.ts'
import { json } from '../options.ts'
import { note, printTable } from '../output.ts'
import { openClient } from './open-client.ts'
import { baseUrl } from './options.ts'

export const define = (command: Command) =>
  command
    .addOption(
      new Option('--status <status>', 'All jobs of this status that are kept, of any age').choices([
        'processing',
        'success',
        'failed',
      ]),
    )
    .addOption(baseUrl)
    .addOption(json)
    .action(async (flags) => {
      const { adcube, signal } = await openClient(flags)
      const status = flags.status?.toUpperCase() as JobRecord['job_status'] | undefined
      const jobs = await adcube.jobs({ signal, ...(status && { status }) })
      const rows = jobs.map((job) => ({
        job: job.job_id,
        status: job.job_status === 'PROCESSING' ? `${Math.floor(100 * job.progress)} %` : job.job_status.toLowerCase(),
        cube: findCube(job.cube)?.alias ?? job.cube,
        rows: job.rows,
        created: job.created_at?.slice(5, 16).replace('T', ' ') ?? null,
      }))
      const none = status ? 'No jobs.' : 'No jobs in the last 24 hours.'
      await printTable(flags, rows, { data: jobs, none, cut: 'cube' })
      for (const { job_id: id, failure_reason: reason } of jobs) if (reason !== null) note(flags, `${id}: ${reason}`)
    })
