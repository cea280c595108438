import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { activeKeysMax, createKey, deleteKey, listKeys } from '../../access/keys.ts'
import type { Services } from '../services.ts'
import { readId, readParameters } from '../edge/parameters.ts'
import { Problem } from '../../contract/problems.ts'
import { bodies } from './bodies.ts'
import { authorOf, forAdministrators, membershipOf } from './session.ts'
import { keyShape } from './shapes.ts'

/** The API keys of the account. */
export async function keyRoutes(app: FastifyInstance, { store, now }: Services): Promise<void> {
  /** Not paginated: an account has at most ten active keys, and expired keys can be deleted. */
  app.get('/keys', async (request) => {
    readParameters(request, [])
    const keys = await listKeys(store, membershipOf(request).accountId)
    return { data: keys.map((key) => keyShape(key, now())), active_max: activeKeysMax }
  })

  app.post('/keys', { ...forAdministrators, schema: { body: bodies.createKey } }, async (request, reply) => {
    const { name } = request.body as Static<typeof bodies.createKey>
    const created = await createKey(store, { ...authorOf(request), name: name.trim(), now: now() })
    if ('refusal' in created) {
      throw new Problem('too_many_keys', `An account can have at most ${activeKeysMax} active keys. Delete one first.`)
    }
    return reply.status(201).send({ ...keyShape(created, now()), key: created.key })
  })

  app.delete('/keys/:id', forAdministrators, async (request, reply) => {
    const deleted = await deleteKey(store, { ...authorOf(request), id: readId(request), now: now() })
    if (!deleted) throw new Problem('not_found', 'Unknown API key.')
    return reply.status(204).send()
  })
}
