import type { FastifyRequest } from 'fastify'
import { findLoadedRange } from '../store/loads.ts'
import type { Deps } from './app.ts'
import { accountOf } from './authenticate.ts'
import { readParameters, resolveCube } from './parameters.ts'

/** GET /v2/data: the first and the last day loaded, for each cube that the account may use. */
export function answerRanges({ store }: Deps) {
  return async (request: FastifyRequest) => {
    const account = accountOf(request)
    const { cube } = readParameters(request, ['cube'])
    const asked = cube === undefined ? account.cubes : [resolveCube(cube, request)]
    return Promise.all(
      asked.map(async ({ name }) => {
        const range = await findLoadedRange(store, { cube: name, account: account.id })
        return { cube: name, start: range?.start ?? null, end: range?.end ?? null }
      }),
    )
  }
}
