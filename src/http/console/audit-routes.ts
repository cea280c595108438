import type { FastifyInstance } from 'fastify'
import { listAudit } from '../../store/audit.ts'
import type { Services } from '../services.ts'
import { readPage, toPage } from '../page.ts'
import { wrongParameter } from '../parameters.ts'
import { auditShape } from '../shapes.ts'
import { sessionOf } from './demand-session.ts'

/** Who changed what, newest first. */
export async function auditRoutes(app: FastifyInstance, { store }: Services): Promise<void> {
  app.get('/audit', async (request) => {
    const { limit, cursor } = readPage(request, 'before')
    const before = cursor === undefined ? undefined : Number(cursor)
    if (before !== undefined && !(Number.isInteger(before) && before >= 0 && before < 2 ** 31)) {
      throw wrongParameter('before', 'The id of an entry.')
    }
    const entries = await listAudit(store, { accountId: sessionOf(request).account.id, before, limit: limit + 1 })
    return toPage(entries, limit, auditShape, ({ id }) => String(id))
  })
}
