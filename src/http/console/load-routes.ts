import type { FastifyInstance } from 'fastify'
import type { DaysAnswer } from '../../contract/console.ts'
import { dayOf } from '../../query/day.ts'
import { oldestDayKept } from '../../query/parse-range.ts'
import { listAccountLoads, listLoadedDays } from '../../ingest/list-loads.ts'
import type { Services } from '../services.ts'
import { readCube, readNumberBefore, readPage, resolveCube, toPage } from '../edge/parameters.ts'
import { loadShape } from './shapes.ts'
import { membershipOf } from './session.ts'

/** The loaded days of the account, and their loads. */
export async function loadRoutes(app: FastifyInstance, { store, now }: Services): Promise<void> {
  /** Not paginated: only 13 months are kept. */
  app.get('/days', async (request): Promise<DaysAnswer> => {
    const { name: cube } = readCube(request)
    const today = dayOf(now())
    const oldest = oldestDayKept(today)
    request.notes.enter('store')
    const data = await listLoadedDays(store, { accountId: membershipOf(request).accountId, cube, oldest })
    return { oldest, today, data }
  })

  app.get('/loads', async (request) => {
    const { limit, cursor, others } = readPage(request, 'before', ['cube'])
    const { name: cube } = resolveCube(others.cube, request)
    const before = readNumberBefore(cursor)
    request.notes.enter('store')
    const accountId = membershipOf(request).accountId
    const loads = await listAccountLoads(store, { accountId, cube, before, limit: limit + 1 })
    return toPage(loads, limit, loadShape, ({ id }) => String(id))
  })
}
