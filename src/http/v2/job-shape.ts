import type { FastifyRequest } from 'fastify'
import type { QueryBody } from '../../query/query.ts'
import { signTicket } from '../../reports/sign-url.ts'
import type { Job } from '../../store/jobs.ts'
import type { Services } from '../services.ts'
import type { JobRecord, ListedJobRecord } from '../../contract/answers.ts'
import { time } from '../console/shapes.ts'

const notAvailable = 'Not Available'
/** Long enough to come back to the next morning; a new address is a status call away. */
const linkMsMax = 24 * 60 * 60 * 1000

export const jobShape = (job: Job, services: Services, request: FastifyRequest): JobRecord => ({
  job_id: job.id,
  job_status: job.state,
  output_url: job.state === 'SUCCESS' ? downloadUrl(job, services, request) : notAvailable,
  cube: job.cube,
  created_at: time(job.createdAt),
  started_at: time(job.startedAt),
  finished_at: time(job.finishedAt),
  progress: Math.round(job.progress * 1000) / 1000,
  rows: job.rows,
  bytes: job.bytes,
  checksum: job.checksum === null ? null : `sha256:${job.checksum}`,
  expires_at: time(job.expiresAt),
  failure_reason: job.failureReason,
})

export const listedJobShape = (
  job: Job,
  query: QueryBody | null,
  services: Services,
  request: FastifyRequest,
): ListedJobRecord => ({ ...jobShape(job, services, request), start: job.startDay, end: job.endDay, query })

/** Made anew each time it is asked for, good for a day or as long as the report. */
function downloadUrl(job: Job, { publicUrl, tls, linkSecret, now }: Services, request: FastifyRequest): string {
  const base = publicUrl ?? `${tls ? 'https' : request.protocol}://${request.host}`
  const expiresAt = Math.min(now() + linkMsMax, job.expiresAt ?? Infinity)
  return `${base}/reports/${job.id}/${fileNameOf(job)}?${signTicket(linkSecret, { jobId: job.id, expiresAt })}`
}

/** What a person finds in their folder of downloads. */
export const fileNameOf = ({ id, cube, startDay, endDay }: Job): string =>
  `${cube}_${startDay}_${endDay}_${id.slice(-8)}.csv`
