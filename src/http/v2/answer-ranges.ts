import type { FastifyRequest } from 'fastify'
import { dayOf } from '../../query/day.ts'
import { oldestDayKept } from '../../query/parse-range.ts'
import { cubesOf } from '../../store/accounts.ts'
import { findLoadedRange } from '../../store/loads.ts'
import type { Services } from '../services.ts'
import { accountOf } from '../edge/authenticate.ts'
import { readParameters, resolveCube } from '../edge/parameters.ts'

/** GET /v2/data: the first and the last day loaded, for each cube that the account may use. */
export function answerRanges({ store, now }: Services) {
  return async (request: FastifyRequest) => {
    const account = accountOf(request)
    const { cube } = readParameters(request, ['cube'])
    const asked = cube === undefined ? cubesOf(account) : [resolveCube(cube, request)]
    const oldest = oldestDayKept(dayOf(now()))
    request.notes.enter('store')
    return Promise.all(
      asked.map(async ({ name }) => {
        const range = await findLoadedRange(store, { cube: name, account: account.id, oldest })
        return { cube: name, start: range?.start ?? null, end: range?.end ?? null }
      }),
    )
  }
}
