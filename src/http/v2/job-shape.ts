import type { FastifyRequest } from 'fastify'
import type { QueryBody } from '../../query/query.ts'
import { signTicket } from '../../reports/sign-url.ts'
import type { Job } from '../../reports/job.ts'
import type { Services } from '../services.ts'
import { jobRecord, type JobRecord } from '../../contract/answers.ts'
import type { ListedJobRecord } from '../../contract/console.ts'
import { toRecord } from '../../contract/record.ts'

const notAvailable = 'Not Available'
/** Long enough for the next morning; each status request returns a new address. */
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

/** A new signed address, valid for a day or until the report is removed. */
function downloadUrl(job: Job, { publicUrl, tls, linkSecret, now }: Services, request: FastifyRequest): string {
  const base = publicUrl ?? `${tls ? 'https' : request.protocol}://${request.host}`
  const expiresAt = Math.min(now() + linkMsMax, job.expiresAt ?? Infinity)
  return `${base}/reports/${job.id}/${fileNameOf(job)}?${signTicket(linkSecret, { jobId: job.id, expiresAt })}`
}

/** The name of the downloaded file. */
export const fileNameOf = ({ id, cube, startDay, endDay }: Job): string =>
  `${cube}_${startDay}_${endDay}_${id.slice(-8)}.csv`
