import type { FastifyInstance } from 'fastify'
import { consoleBounds } from '../../catalog/limits.ts'
import type { Services } from '../services.ts'
import { answerSynchronously } from '../v2/answer-synchronously.ts'
import { queryBytesMax } from '../v2/demand-query.ts'
import { answerValues } from './answer-values.ts'

/** What the explorer shows: the rows of a query, and the values to filter by. */
export async function queryRoutes(app: FastifyInstance, services: Services): Promise<void> {
  app.post('/query', { bodyLimit: queryBytesMax }, answerSynchronously(services, consoleBounds))
  app.get('/values', answerValues(services))
}
