import type { FastifyInstance } from 'fastify'
import { rateRules, type RateRule } from '../../access/rate-rules.ts'
import { asynchronousLimits } from '../../catalog/limits.ts'
import { readJobQuota } from '../../reports/job-quota.ts'
import type { Services } from '../services.ts'
import { accountOf } from '../edge/authenticate.ts'
import { readParameters } from '../edge/parameters.ts'
import { usageShape } from './shapes.ts'

const jobsRule: RateRule = {
  name: 'jobs',
  description: 'Asynchronous jobs',
  method: 'POST',
  path: '/data/asynchronous',
  ...asynchronousLimits.rate,
}

/** The account's usage of each rate limit of the API. */
export async function usageRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { store, rateLimiter, now } = services

  app.get('/usage', async (request) => {
    readParameters(request, [])
    const account = accountOf(request)
    request.notes.enter('limits')
    const [usages, jobs] = await Promise.all([
      rateLimiter.look(account, rateRules, now),
      readJobQuota(store, account, now()),
    ])
    request.notes.leave()
    const ofRules = rateRules.flatMap((rule) => {
      // Missing while rate limits are off.
      const usage = usages.find(({ name }) => name === rule.name)
      return usage ? [usageShape(rule, usage)] : []
    })
    return { data: [...ofRules, usageShape(jobsRule, jobs)] }
  })
}
