import type { FastifyRequest } from 'fastify'
import { dayOf, type Day } from '../query/day.ts'
import { oldestDayKept } from '../query/parse-range.ts'
import type { Query } from '../query/query.ts'
import { findLoadedRange, findVisibleLoads } from '../store/loads.ts'
import type { Services } from './services.ts'
import { accountOf } from './authenticate.ts'

type Found = {
  /** Each as JSON text. */
  readonly rows: readonly string[]
  /** Whether the query's limit cut any off. */
  readonly isTruncated: boolean
  /** The last day that is loaded, whether the query is about it or not. */
  readonly dataThrough: Day | undefined
}

/** Runs a query over the facts of the request's account. */
export async function runQuery({ facts, store, now }: Services, request: FastifyRequest, query: Query): Promise<Found> {
  const account = accountOf(request).id
  const { notes } = request
  notes.enter('store')
  const { start, end, limit } = query
  const loaded = { cube: query.cube.name, account }
  // With the days after the query's: the last of them is asked for as well.
  const loads = await findVisibleLoads(store, { ...loaded, start })
  const last =
    loads.at(-1)?.day ?? (await findLoadedRange(store, { ...loaded, oldest: oldestDayKept(dayOf(now())) }))?.end
  const visible = loads.filter(({ day }) => day <= end)
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
  return { rows, isTruncated: found.length > limit, dataThrough: last }
}
