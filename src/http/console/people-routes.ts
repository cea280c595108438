import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { listPeople } from '../../access/memberships.ts'
import { changeRole, invitePerson, peopleMax, removePerson } from '../../access/people.ts'
import { normalizeEmail } from '../../contract/forms.ts'
import type { Services } from '../services.ts'
import { readId, readPage, toPage } from '../edge/parameters.ts'
import { Problem } from '../../contract/problems.ts'
import { bodies } from './bodies.ts'
import { authorOf, forAdministrators, membershipOf } from './session.ts'
import { personShape } from './shapes.ts'

const refusals = {
  no_account: () => new Problem('not_found', 'This account no longer exists.'),
  no_person: () => new Problem('not_found', 'Unknown person.'),
  email_taken: () => new Problem('email_taken', 'Someone with this address is already in the account, or invited.'),
  too_many_people: () => new Problem('too_many_people', `An account has at most ${peopleMax} people.`),
  last_administrator: () => new Problem('last_administrator', 'Make someone else an Administrator first.'),
}

/** The people of the account and their roles. */
export async function peopleRoutes(app: FastifyInstance, { store, now }: Services): Promise<void> {
  app.get('/people', async (request) => {
    const { limit, cursor } = readPage(request, 'after')
    const accountId = membershipOf(request).accountId
    const people = await listPeople(store, { accountId, after: cursor, limit: limit + 1 })
    return toPage(people, limit, personShape, ({ email }) => email)
  })

  app.post('/people', { ...forAdministrators, schema: { body: bodies.invitePerson } }, async (request, reply) => {
    const { email, role } = request.body as Static<typeof bodies.invitePerson>
    const invited = await invitePerson(store, { ...authorOf(request), email: normalizeEmail(email), role, now: now() })
    if ('refusal' in invited) throw refusals[invited.refusal]()
    return reply.status(201).send({
      ...personShape(invited),
      // Shown once, for the Administrator to pass on, because Adcube sends no mail.
      invitation_token: invited.token,
    })
  })

  app.patch('/people/:id', { ...forAdministrators, schema: { body: bodies.changeRole } }, async (request) => {
    const id = readId(request)
    const { role } = request.body as Static<typeof bodies.changeRole>
    const changed = await changeRole(store, { ...authorOf(request), id, role, now: now() })
    if ('refusal' in changed) throw refusals[changed.refusal]()
    return personShape(changed)
  })

  app.delete('/people/:id', forAdministrators, async (request, reply) => {
    const removed = await removePerson(store, { ...authorOf(request), id: readId(request), now: now() })
    if ('refusal' in removed) throw refusals[removed.refusal]()
    return reply.status(204).send()
  })
}
