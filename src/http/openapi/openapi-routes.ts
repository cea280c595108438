import type { FastifyInstance } from 'fastify'
import { dayOf } from '../../query/day.ts'
import { describeApi } from './describe-api.ts'

/** The reference of the API, for tools. Nothing in it is secret, so nobody needs a key. */
export async function openapiRoutes(app: FastifyInstance, { now }: { readonly now: () => number }): Promise<void> {
  let made = { day: '', text: '' }
  app.get('/openapi.json', async (_request, reply) => {
    const day = dayOf(now())
    if (made.day !== day) made = { day, text: JSON.stringify(describeApi(day)) }
    return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(made.text)
  })
}
