import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Deps } from './app.ts'
import { refuseOtherMethods } from './refuse-other-methods.ts'

const pingMsMax = 5_000

/** `/healthz`: the process runs. `/readyz`: a query would be answered. */
export async function healthRoutes(app: FastifyInstance, { engine, store }: Deps): Promise<void> {
  app.get('/healthz', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    try {
      await sql`SELECT 1`.execute(store)
      const { success } = await engine.reader().ping({ select: true, abort_signal: AbortSignal.timeout(pingMsMax) })
      if (success) return { status: 'ready' }
    } catch {
      // Whatever it is, it is logged where it matters, and not once for every probe.
    }
    return reply.status(503).header('retry-after', '1').send({ status: 'not ready' })
  })

  refuseOtherMethods(app, { '/healthz': ['GET', 'HEAD'], '/readyz': ['GET', 'HEAD'] })
}
