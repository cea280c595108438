import type { FastifyInstance } from 'fastify'
import { cancelJob, findJob, listJobs, markJobRemoved } from '../store/jobs.ts'
import type { JobState } from '../store/tables.ts'
import { quote } from '../query/faults.ts'
import type { Services } from './services.ts'
import { accountOf } from './authenticate.ts'
import { jobShape } from './job-shape.ts'
import { readParameters, wrongParameter } from './parameters.ts'
import { Problem } from './problems.ts'

const states: readonly JobState[] = ['PROCESSING', 'SUCCESS', 'FAILED']
const dayMs = 24 * 60 * 60 * 1000

/** /v2/data/status: how jobs stand, and the end of one. */
export async function statusRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { store, storage, workers, keepMs, now } = services

  app.get('/data/status', async (request) => {
    const { jobId, jobStatus } = readParameters(request, ['jobId', 'jobStatus'])
    const state = states.find((each) => each === jobStatus?.toUpperCase())
    if (jobStatus !== undefined && !state) {
      throw wrongParameter('jobStatus', `One of ${states.join(', ')}, not ${quote(jobStatus)}.`)
    }
    const since = jobId === undefined && state === undefined ? now() - dayMs : undefined
    request.notes.enter('store')
    const jobs = await listJobs(store, { accountId: accountOf(request).id, id: jobId, state, since })
    return jobs.map((job) => jobShape(job, services, request))
  })

  app.delete('/data/status', async (request, reply) => {
    const { jobId } = readParameters(request, ['jobId'])
    if (jobId === undefined || jobId === '') throw wrongParameter('jobId', 'Required: the job to cancel or to remove.')
    const job = await findJob(store, jobId)
    if (job?.accountId !== accountOf(request).id) throw new Problem('not_found', 'The account has no such job.')
    if (await cancelJob(store, { id: job.id, now: now(), expiresAt: now() + keepMs })) {
      workers.cancel(job.id)
      const [cancelled] = await listJobs(store, { accountId: job.accountId, id: job.id })
      return cancelled ? jobShape(cancelled, services, request) : reply.status(204).send()
    }
    // It may have ended since it was looked at, so what to remove is asked again.
    const ended = await findJob(store, job.id)
    await markJobRemoved(store, job.id, now())
    if (ended && ended.file !== null) await storage.remove(ended.file)
    return reply.status(204).send()
  })
}
