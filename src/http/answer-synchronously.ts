import type { FastifyReply, FastifyRequest } from 'fastify'
import { synchronousLimits } from '../catalog/limits.ts'
import { dayOf } from '../query/day.ts'
import { oldestDayKept } from '../query/parse-range.ts'
import { findLoadedRange, findVisibleLoads } from '../store/loads.ts'
import type { Services } from './services.ts'
import { accountOf } from './authenticate.ts'
import { demandQuery } from './demand-query.ts'
import { demandCube } from './parameters.ts'

/** POST /v2/data/synchronous: a query in, its rows out. */
export function answerSynchronously({ facts, store, now }: Services) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const cube = demandCube(request)
    const query = demandQuery(request.body, { cube, limits: synchronousLimits, now: now() })
    const account = accountOf(request).id
    const { notes } = request
    notes.enter('store')
    const visible = await findVisibleLoads(store, { cube: cube.name, account, start: query.start, end: query.end })
    const oldest = oldestDayKept(dayOf(now()))
    const loaded = await findLoadedRange(store, { cube: cube.name, account, oldest })
    // One row more than asked for tells whether the limit cut any off.
    const rowsMax = query.limit + 1
    notes.enter('wait')
    const options = { id: request.id, rowsMax, signal: request.hangUp, onBegin: () => notes.enter('engine') }
    const rows = await facts.readRows(query, { account, visible }, options)

    notes.leave()
    const data = rows.slice(0, query.limit)
    notes.rows = data.length
    const meta = {
      cube: cube.name,
      start: query.start,
      end: query.end,
      rows: data.length,
      limit: query.limit,
      truncated: rows.length > query.limit,
      data_through: loaded?.end ?? null,
      request_id: request.id,
    }
    return reply
      .type('application/json; charset=utf-8')
      .send(`{"data":[${data.join(',')}],"meta":${JSON.stringify(meta)}}`)
  }
}
