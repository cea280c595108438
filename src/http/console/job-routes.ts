import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { QueryBody } from '../../query/query.ts'
import { cancelOrRemoveJob, cancelRunningJob } from '../../reports/cancel-or-remove-job.ts'
import { readJobQuota } from '../../reports/job-quota.ts'
import type { Job } from '../../reports/job.ts'
import { listJobs, type ListedJob } from '../../reports/list-jobs.ts'
import { toRecord } from '../../contract/record.ts'
import { quotaRecord, type JobsAnswer } from '../../contract/console.ts'
import { accountOf } from '../edge/authenticate.ts'
import { answerAsynchronously, queryBytesMax } from '../v2/queries.ts'
import { listedJobShape } from '../v2/job-shape.ts'
import { readId, readPage, readParameters, toPage, wrongParameter } from '../edge/parameters.ts'
import { Problem } from '../../contract/problems.ts'
import type { Services } from '../services.ts'

/** All jobs of the account, whether a key or a person started them. */
export async function jobRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { store, now } = services
  const shapeListed = (job: ListedJob, request: FastifyRequest) =>
    listedJobShape(job, job.query === null ? null : (JSON.parse(job.query) as QueryBody), services, request)
  const shapeAccepted = (job: Job, request: FastifyRequest) =>
    listedJobShape(job, request.body as QueryBody, services, request)

  app.get('/jobs', async (request): Promise<JobsAnswer> => {
    const { limit, cursor } = readPage(request, 'before')
    const account = accountOf(request)
    const before = cursor === undefined ? undefined : readCursor(cursor)
    request.notes.enter('store')
    const jobs = await listJobs(store, { accountId: account.id, before, limit: limit + 1 })
    const quota = await readJobQuota(store, account, now())
    request.notes.leave()
    const page = toPage(jobs, limit, (job) => shapeListed(job, request), cursorOf)
    return {
      ...page,
      quota: toRecord(quotaRecord, { ...quota, limit: quota.quota, nextFreeAt: quota.nextFreeAt ?? null }),
    }
  })

  app.post('/jobs', { bodyLimit: queryBytesMax }, answerAsynchronously(services, shapeAccepted))

  // Unlike DELETE, it never removes the report of a job that has just ended.
  app.post('/jobs/:id/cancel', async (request) => {
    readParameters(request, [])
    const asked = { id: readId(request), accountId: accountOf(request).id }
    const outcome = await cancelRunningJob(services, asked)
    const [job] = outcome === 'unknown' ? [] : await listJobs(store, { ...asked, limit: 1 })
    if (!job) throw unknownJob()
    return shapeListed(job, request)
  })

  app.delete('/jobs/:id', async (request, reply) => {
    readParameters(request, [])
    const outcome = await cancelOrRemoveJob(services, { id: readId(request), accountId: accountOf(request).id })
    if (outcome === 'unknown') throw unknownJob()
    return reply.status(204).send()
  })
}

const unknownJob = (): Problem => new Problem('not_found', 'Unknown job.')

const cursorOf = ({ createdAt, id }: Job): string => `${createdAt}.${id}`

/** The last job of a page. The next page continues there even if that job has been removed. */
function readCursor(cursor: string): Pick<Job, 'createdAt' | 'id'> {
  const [, createdAt, id] = /^(\d{1,15})\.(job_[0-9a-f]{32})$/.exec(cursor) ?? []
  if (createdAt === undefined || id === undefined) throw wrongParameter('before', 'The `next` of another page.')
  return { createdAt: Number(createdAt), id }
}
