import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Deps } from './app.ts'
import { Problem } from './problems.ts'

const pingMsMax = 5_000

/** `/healthz`: the process runs. `/readyz`: a query would be answered. */
export async function healthRoutes(app: FastifyInstance, { engine, store, log }: Deps): Promise<void> {
  app.get('/healthz', async () => ({ status: 'ok' }))

  app.get('/readyz', async () => {
    try {
      await sql`SELECT 1`.execute(store)
      const { success } = await engine.reader().ping({ select: true, abort_signal: AbortSignal.timeout(pingMsMax) })
      if (success) return { status: 'ready' }
    } catch (error) {
      log.debug({ err: error }, 'not ready')
    }
    throw new Problem('engine_away', 'Not ready to answer queries.', { headers: { 'retry-after': '1' } })
  })
}
