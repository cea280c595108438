import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { createView, deleteView, listViews, updateView, viewsMax } from '../../access/views.ts'
import type { Services } from '../services.ts'
import { readId, readParameters } from '../edge/parameters.ts'
import { Problem } from '../../contract/problems.ts'
import { viewShape } from './shapes.ts'
import { bodies } from './bodies.ts'
import { membershipOf } from './session.ts'

const refusals = {
  no_person: () => new Problem('not_found', 'This person no longer exists.'),
  no_view: () => new Problem('not_found', 'Unknown view.'),
  too_many_views: () => new Problem('too_many_views', `You can save at most ${viewsMax} views. Delete one first.`),
}

/** The views that a person has saved in the explorer. */
export async function viewRoutes(app: FastifyInstance, { store, now }: Services): Promise<void> {
  /** Not paginated: a person has at most so many views. */
  app.get('/views', async (request) => {
    readParameters(request, [])
    const views = await listViews(store, membershipOf(request).id)
    return { data: views.map(viewShape) }
  })

  app.post('/views', { schema: { body: bodies.view } }, async (request, reply) => {
    const { name, search } = request.body as Static<typeof bodies.view>
    const membership = membershipOf(request)
    const created = await createView(store, { membership, name: name.trim(), search, now: now() })
    if ('refusal' in created) throw refusals[created.refusal]()
    return reply.status(201).send(viewShape(created))
  })

  app.put('/views/:id', { schema: { body: bodies.view } }, async (request) => {
    const id = readId(request)
    const { name, search } = request.body as Static<typeof bodies.view>
    const changed = await updateView(store, {
      id,
      membershipId: membershipOf(request).id,
      name: name.trim(),
      search,
    })
    if (!changed) throw refusals.no_view()
    return viewShape(changed)
  })

  app.delete('/views/:id', async (request, reply) => {
    const id = readId(request)
    if (!(await deleteView(store, { id, membershipId: membershipOf(request).id }))) throw refusals.no_view()
    return reply.status(204).send()
  })
}
