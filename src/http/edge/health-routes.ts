import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Services } from '../services.ts'

/** Requests within this time share an answer, because anybody may send them. */
const answerMs = 1_000

/** The parts that queries need, and what knows whether changes can be stored and whether reports have disk space. */
export type HealthDeps = Pick<Services, 'facts' | 'store' | 'writes'> & {
  readonly workers: Pick<Services['workers'], 'isShortOfDisk'>
}

/** `/healthz` says that the process runs, `/readyz` whether queries can be answered or what is missing. */
export async function healthRoutes(app: FastifyInstance, { facts, store, writes, workers }: HealthDeps): Promise<void> {
  app.get('/healthz', async () => ({ status: 'ok' }))

  const look = async () => {
    // Queries do not need the folder for reports, so a network folder that hangs is only a warning.
    const silence = delay(answerMs, ['The folder for reports does not answer.'], { ref: false })
    const [hasStore, hasEngine, warnings] = await Promise.all([
      sql`SELECT 1`.execute(store).then(
        () => true,
        // Not logged for every probe: requests that need the store log the error.
        () => false,
      ),
      facts.isUp(),
      Promise.race([warn(), silence]),
    ])
    const looks = { 'control database': hasStore, 'query engine': hasEngine }
    const missing = Object.entries(looks).flatMap(([name, isThere]) => (isThere ? [] : [name]))
    const notStored = writes.hasFailed ? ['The control database cannot store changes: its disk may be full.'] : []
    return { missing, warnings: [...notStored, ...warnings] }
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
    const { missing, warnings } = await answer
    if (missing.length === 0) return { status: 'ready', warnings }
    return reply.status(503).header('retry-after', '1').send({ status: 'not ready', missing, warnings })
  })
}
