import { findCube } from '../../catalog/cubes.ts'
import type { JobRecord } from '../../contract/answers.ts'
import { print, table, tell } from '../output.ts'
import { withClient, type ServerFlags } from './with-client.ts'

type Flags = ServerFlags & { readonly status?: string }

export const jobsCommand = (flags: Flags): Promise<number> =>
  withClient(flags, async (adcube, signal) => {
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
    print(flags, jobs, table(rows, none, ['cube']))
    for (const { job_id: id, failure_reason: reason } of jobs) if (reason !== null) tell(flags, `${id}: ${reason}`)
    return 0
  })
