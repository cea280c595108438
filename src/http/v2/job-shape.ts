import type { FastifyRequest } from 'fastify'
import type { QueryBody } from '../../query/query.ts'
import { signTicket } from '../../reports/sign-url.ts'
import type { Job } from '../../reports/job.ts'
import type { Services } from '../services.ts'
import { jobRecord, type JobRecord } from '../../contract/answers.ts'
import type { ListedJobRecord } from '../../contract/console.ts'
import { toRecord } from '../../contract/record.ts'

const notAvailable = 'Not Available'
/** Long enough to come back to the next morning; a new address is a status call away. */
const linkMsMax = 24 * 60 * 60 * 1000

export const jobShape = (job: Job, services: Services, request: FastifyRequest): JobRecord =>
  toRecord(jobRecord, {
    ...job,
    jobId: job.id,
    jobStatus: job.state,
    outputUrl: job.state === 'SUCCESS' ? downloadUrl(job, services, request) : notAvailable,
    progress: Math.round(job.progress * 1000) / 1000,
    checksum: job.checksum === null ? null : `sha256:${job.checksum}`,
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
