import type { FastifyInstance } from 'fastify'
import { dayMs, isDay, type Day } from '../../query/day.ts'
import { quote, suggest } from '../../query/faults.ts'
import { listAudit } from '../../access/list-audit.ts'
import { auditActions, type AuditAction } from '../../contract/console.ts'
import type { Services } from '../services.ts'
import { readNumberBefore, readPage, toPage, wrongParameter } from '../edge/parameters.ts'
import { auditShape } from './shapes.ts'
import { membershipOf } from './session.ts'

/** The audit trail of the account, newest first. */
export async function auditRoutes(app: FastifyInstance, { store }: Services): Promise<void> {
  app.get('/audit', async (request) => {
    const { limit, cursor, others } = readPage(request, 'before', ['actor', 'action', 'from', 'to'])
    const { actor } = others
    const action = readAction(others.action)
    const from = readDay('from', others.from)
    const to = readDay('to', others.to)
    if (from !== undefined && to !== undefined && to < from) throw wrongParameter('to', 'Before from.')
    const entries = await listAudit(store, {
      accountId: membershipOf(request).accountId,
      actor,
      action,
      since: from === undefined ? undefined : Date.parse(from),
      // Includes the last day.
      until: to === undefined ? undefined : Date.parse(to) + dayMs,
      before: readNumberBefore(cursor),
      limit: limit + 1,
    })
    return toPage(entries, limit, auditShape, ({ id }) => String(id))
  })
}

function readAction(text: string | undefined): AuditAction | undefined {
  const action = auditActions.find((each) => each === text)
  if (text === undefined || action) return action
  throw wrongParameter('action', `${quote(text)} is not an action.${suggest(text, auditActions)}`)
}

function readDay(parameter: string, text: string | undefined): Day | undefined {
  if (text === undefined || isDay(text)) return text
  throw wrongParameter(parameter, `A date in the form yyyy-MM-DD, not ${quote(text)}.`)
}
