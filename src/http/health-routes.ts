import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Services } from './services.ts'
import { refuseOtherMethods } from './refuse-other-methods.ts'

/** Anybody may ask, so many share an answer. */
const answerMs = 1_000

/** `/healthz`: the process runs. `/readyz`: a query would be answered; it warns of what else is missing. */
export async function healthRoutes(app: FastifyInstance, { facts, store, workers }: Services): Promise<void> {
  app.get('/healthz', async () => ({ status: 'ok' }))

  const look = async (): Promise<{ readonly isReady: boolean; readonly warnings: readonly string[] }> => {
    const hasStore = await sql`SELECT 1`.execute(store).then(
      () => true,
      // Whatever it is, it is logged where it matters, and not once for every probe.
      () => false,
    )
    const isReady = hasStore && (await facts.isUp())
    // A network folder that hangs keeps nobody from asking queries.
    const silence = delay(answerMs, ['The folder for reports does not answer.'], { ref: false })
    return { isReady, warnings: await Promise.race([warn(), silence]) }
  }
  const warn = async (): Promise<readonly string[]> => {
    try {
      return (await workers.isShortOfDisk()) ? ['Too little free disk space: reports wait.'] : []
    } catch {
      return ['The folder for reports cannot be read.']
    }
  }
  let answer: ReturnType<typeof look> | undefined
  app.get('/readyz', async (_request, reply) => {
    answer ??= look().finally(() => setTimeout(() => (answer = undefined), answerMs).unref())
    const { isReady, warnings } = await answer
    if (isReady) return { status: 'ready', warnings }
    return reply.status(503).header('retry-after', '1').send({ status: 'not ready', warnings })
  })

  refuseOtherMethods(app, { '/healthz': ['GET', 'HEAD'], '/readyz': ['GET', 'HEAD'] })
}
