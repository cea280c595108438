import type { FastifyInstance } from 'fastify'
import { rateRules, type RateRule } from '../../access/rate-rules.ts'
import { asynchronousLimits } from '../../catalog/limits.ts'
import type { Account } from '../../store/accounts.ts'
import { listJobTimes } from '../../store/jobs.ts'
import type { Services } from '../services.ts'
import { readParameters } from '../parameters.ts'
import { usageShape } from '../shapes.ts'
import { sessionOf } from './demand-session.ts'

const { rate } = asynchronousLimits

const jobsRule: RateRule = {
  name: 'jobs',
  description: 'Asynchronous jobs',
  method: 'POST',
  path: '/data/asynchronous',
  windowSeconds: rate.windowSeconds,
  quota: rate.quota,
}

/** How far the account has used each of the API's rate limits. */
export async function usageRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { store, rateLimiter, now } = services

  app.get('/usage', async (request) => {
    readParameters(request, [])
    const { account } = sessionOf(request)
    request.notes.enter('limits')
    const [usages, jobs] = await Promise.all([rateLimiter.look(account, rateRules, now), lookAtJobs(account)])
    request.notes.leave()
    const ofRules = rateRules.flatMap((rule) => {
      // None of them while limits are off.
      const usage = usages.find(({ name }) => name === rule.name)
      return usage ? [usageShape(rule, usage)] : []
    })
    return { data: [...ofRules, jobs] }
  })

  async function lookAtJobs({ id, rateFactor }: Account) {
    const windowMs = rate.windowSeconds * 1000
    const times = await listJobTimes(store, id, now() - windowMs)
    const usage = { quota: rate.quota * rateFactor, used: times.length, resetsAt: (times[0] ?? 0) + windowMs }
    return usageShape(jobsRule, usage)
  }
}
