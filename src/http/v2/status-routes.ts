import type { FastifyInstance } from 'fastify'
import { cancelOrRemoveJob } from '../../reports/cancel-or-remove-job.ts'
import { listJobs } from '../../reports/list-jobs.ts'
import type { JobState } from '../../store/tables.ts'
import { dayMs } from '../../query/day.ts'
import { quote } from '../../query/faults.ts'
import type { Services } from '../services.ts'
import { accountOf } from '../edge/authenticate.ts'
import { jobShape } from './job-shape.ts'
import { readParameters, wrongParameter } from '../edge/parameters.ts'
import { Problem } from '../../contract/problems.ts'

const states: readonly JobState[] = ['PROCESSING', 'SUCCESS', 'FAILED']

/** /v2/data/status: how jobs stand, and the end of one. */
export async function statusRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { store, now } = services

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
    const accountId = accountOf(request).id
    const outcome = await cancelOrRemoveJob(services, { id: jobId, accountId })
    if (outcome === 'unknown') throw new Problem('not_found', 'Unknown job.')
    const [cancelled] = outcome === 'cancelled' ? await listJobs(store, { accountId, id: jobId }) : []
    return cancelled ? jobShape(cancelled, services, request) : reply.status(204).send()
  })
}
