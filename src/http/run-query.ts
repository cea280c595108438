import type { FastifyRequest } from 'fastify'
import type { Query } from '../query/query.ts'
import { findVisibleLoads } from '../store/loads.ts'
import type { Services } from './services.ts'
import { accountOf } from './authenticate.ts'

/** The rows of a query over the facts of the request's account, each as JSON text, and whether its limit cut any off. */
export async function runQuery(
  { facts, store }: Services,
  request: FastifyRequest,
  query: Query,
): Promise<{ readonly rows: readonly string[]; readonly isTruncated: boolean }> {
  const account = accountOf(request).id
  const { notes } = request
  notes.enter('store')
  const { cube, start, end, limit } = query
  const visible = await findVisibleLoads(store, { cube: cube.name, account, start, end })
  notes.enter('wait')
  const found = await facts.readRows(
    query,
    { account, visible },
    // One row more than asked for tells whether the limit cut any off.
    { id: request.id, rowsMax: limit + 1, signal: request.hangUp, onBegin: () => notes.enter('engine') },
  )
  notes.leave()
  const rows = found.slice(0, limit)
  notes.rows = rows.length
  return { rows, isTruncated: found.length > limit }
}
