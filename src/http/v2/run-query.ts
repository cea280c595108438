import type { FastifyRequest } from 'fastify'
import { dayOf, type Day } from '../../query/day.ts'
import type { Rows } from '../../facts/facts.ts'
import type { Query } from '../../query/query.ts'
import type { Services } from '../services.ts'
import { accountOf } from '../edge/authenticate.ts'

type Found = Rows & {
  /** The last day that is loaded, whether the query is about it or not. */
  readonly dataThrough: Day | undefined
}

/** Runs a query over the facts of the request's account. */
export async function runQuery(
  { facts, findLoadedDays, now }: Services,
  request: FastifyRequest,
  query: Query,
): Promise<Found> {
  const { id: account, loadsRevision: revision } = accountOf(request)
  const { notes } = request
  notes.enter('store')
  const { start, end } = query
  const range = { cube: query.cube.name, account, revision, start, end, today: dayOf(now()) }
  const { visible, last } = await findLoadedDays(range)
  notes.enter('wait')
  const found = await facts.readRows(
    query,
    { account, visible },
    { id: request.id, signal: request.hangUp, onBegin: () => notes.enter('engine') },
  )
  notes.leave()
  notes.rows = found.count
  return { ...found, dataThrough: last }
}
