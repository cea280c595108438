import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Services } from './services.ts'
import { refuseOtherMethods } from './refuse-other-methods.ts'

/** Anybody may ask, so many share an answer. */
const answerMs = 1_000

/** `/healthz`: the process runs. `/readyz`: a query would be answered. */
export async function healthRoutes(app: FastifyInstance, { facts, store }: Services): Promise<void> {
  app.get('/healthz', async () => ({ status: 'ok' }))

  const look = async (): Promise<boolean> => {
    const hasStore = await sql`SELECT 1`.execute(store).then(
      () => true,
      // Whatever it is, it is logged where it matters, and not once for every probe.
      () => false,
    )
    return hasStore && facts.isUp()
  }
  let answer: Promise<boolean> | undefined
  app.get('/readyz', async (_request, reply) => {
    answer ??= look().finally(() => setTimeout(() => (answer = undefined), answerMs).unref())
    if (await answer) return { status: 'ready' }
    return reply.status(503).header('retry-after', '1').send({ status: 'not ready' })
  })

  refuseOtherMethods(app, { '/healthz': ['GET', 'HEAD'], '/readyz': ['GET', 'HEAD'] })
}
