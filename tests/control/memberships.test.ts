import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { disableAccount, enableAccount } from '../../src/access/accounts.ts'
import { resetPassword } from '../../src/access/change-password.ts'
import { findMembershipsOf } from '../../src/access/memberships.ts'
import { createPerson } from '../../src/access/people.ts'
import { accountHeader } from '../../src/contract/account-header.ts'
import { operator } from '../../src/store/audit.ts'
import { cookieOf, openControlService, password } from '../setup/control-service.ts'
import { addMembership } from '../setup/make-person.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const dayMs = 86_400_000

describe.each(databases)('a person of several accounts, with the control data in %s', async (database) => {
  const store = await openStoreAt(await makePlace(database))
  const { app, clock, click, makeAccount, routes, send, signIn } = await openControlService(store)
  const signInAs = (email: string, secret = password, remoteAddress = '192.0.2.1') =>
    send({ method: 'POST', url: '/console/api/session', payload: { email, password: secret }, remoteAddress })
  const accept = (token: string, secret?: string, { cookie = '', remoteAddress = '192.0.2.1' } = {}) =>
    send({
      method: 'POST',
      url: '/console/api/invitation',
      payload: { token, password: secret },
      headers: { cookie },
      remoteAddress,
    })
  const inviteTo = async (accountId: string, email: string, role = 'member') => {
    const { cookie } = await signIn(accountId, 'administrator')
    return click(cookie, 'POST', '/people', { email, role })
  }
  const trailOf = async (accountId: string): Promise<readonly string[]> => {
    const { cookie } = await signIn(accountId, 'member')
    const { data } = (await click(cookie, 'GET', '/audit')).body
    return data.map(({ action, subject }: any) => `${action} ${subject}`)
  }
  /** A person with a role in each of two accounts. */
  const makeBoth = async () => {
    const [one, other] = [await makeAccount(), await makeAccount()]
    const person = await signIn(one.id, 'administrator')
    const second = { personId: person.id, accountId: other.id, role: 'member', now: clock.now } as const
    return { one, other, ...person, otherId: await addMembership(store, second) }
  }

  describe('has one sign-in', () => {
    it('and sees the list of their accounts, the role in each, and the data of the one that is named', async () => {
      const { one, other, email, cookie, id, otherId } = await makeBoth()
      const { body } = await signInAs(email)
      const names = [one, other].map((account) => ({ id: account.id, name: account.id }))
      expect(body.accounts).toEqual(names)
      expect((await click(cookie, 'GET', '/session')).body).toMatchObject({ account: { id: one.id }, accounts: names })
      for (const [account, role, ownId] of [
        [one.id, 'administrator', id],
        [other.id, 'member', otherId],
      ] as const) {
        expect((await click(cookie, 'GET', '/session', undefined, account)).body).toMatchObject({
          account: { id: account },
          person: { id: ownId, email, role },
        })
        const people = (await click(cookie, 'GET', '/people', undefined, account)).body.data
        expect(people).toMatchObject([{ id: ownId, email, role }])
        const made = await click(cookie, 'POST', '/keys', { name: 'x' }, account)
        expect(made.status).toBe(role === 'administrator' ? 201 : 403)
      }
      expect((await click(cookie, 'GET', '/keys', undefined, other.id)).body.data).toHaveLength(1)
    })

    it('and has to name an account that is theirs and enabled', async () => {
      const { one, other, cookie } = await makeBoth()
      const ask = async (account?: string) => (await click(cookie, 'GET', '/keys', undefined, account)).body
      expect(await ask()).toMatchObject({ status: 400, code: 'account_needed' })
      const third = await makeAccount()
      await disableAccount(store, other.id, clock.now)
      const answers = [await ask(third.id), await ask('no-such-account'), await ask(other.id), await ask(`${one.id},x`)]
      const { request_id: _, ...refusal } = answers[0]
      expect(refusal).toMatchObject({ status: 403, code: 'account_unknown' })
      for (const answer of answers) expect(answer).toMatchObject(refusal)
      // With one account left, it need not be named.
      expect((await ask()).data).toHaveLength(1)
      await disableAccount(store, one.id, clock.now)
      expect(await ask(one.id)).toMatchObject({ status: 401, code: 'sign_in_needed' })
      for (const account of [one, other]) await enableAccount(store, account.id, clock.now)
    })

    it('and separate views in each account', async () => {
      const { one, other, cookie } = await makeBoth()
      const view = { name: 'Mine', search: '?x' }
      const { id } = (await click(cookie, 'POST', '/views', view, one.id)).body
      expect((await click(cookie, 'GET', '/views', undefined, other.id)).body.data).toEqual([])
      expect((await click(cookie, 'DELETE', `/views/${id}`, undefined, other.id)).status).toBe(404)
      expect((await click(cookie, 'GET', '/views', undefined, one.id)).body.data).toMatchObject([view])
    })

    it('which each account records, and a changed password too', async () => {
      const { one, other, email, cookie } = await makeBoth()
      await signInAs(email)
      const change = { current_password: password, new_password: 'a new password' }
      // It is not about an account, so none is named.
      expect((await click(cookie, 'POST', '/password', change)).status).toBe(204)
      for (const { id } of [one, other]) {
        expect((await trailOf(id)).slice(1, 3)).toEqual([
          `person.password_changed ${email}`,
          `person.signed_in ${email}`,
        ])
        const membership = (await findMembershipsOf(store, email)).find(({ accountId }) => accountId === id)
        expect(membership!.lastSignedInAt).toBe(clock.now)
      }
    })
  })

  it('no route of the console shows or changes an account that the person does not belong to', async () => {
    await app.ready()
    const { cookie } = await signIn((await makeAccount()).id, 'administrator')
    const victim = await makeAccount()
    const ofPerson = ['POST /session', 'DELETE /session', 'DELETE /sessions', 'POST /password', 'POST /invitation']
    const passed: string[] = []
    let refused = 0
    const console_ = routes.filter(({ url }) => url.startsWith('/console/api/') && !url.endsWith('*'))
    for (const { method, url } of console_) {
      const path = url.replace('/console/api', '')
      const name = `${method} ${path}`
      // Another session, because some of these end it.
      const own = ofPerson.includes(name) ? await signIn(victim.id, 'member') : { cookie }
      const headers = { cookie: own.cookie, [accountHeader]: ofPerson.includes(name) ? 'no-such-account' : victim.id }
      const request = { method: method as 'GET', url: url.replace(':id', `key_${'0'.repeat(32)}`), headers }
      const answer = await send(method === 'HEAD' ? { ...request, method: 'GET' } : request)
      if (answer.status === 403 && answer.body.code === 'account_unknown') refused++
      else if (answer.status !== 405) passed.push(name)
    }
    expect(passed.toSorted()).toEqual(ofPerson.toSorted())
    expect(refused).toBeGreaterThan(25)
  })

  describe('an invitation', () => {
    it('has the same answer for an unknown address and for one with other accounts', async () => {
      const stranger = await signIn((await makeAccount()).id, 'member')
      const { id } = await makeAccount()
      const answers = [await inviteTo(id, 'new@nowhere.example'), await inviteTo(id, stranger.email)]
      const shapes = answers.map(({ status, headers, body }) => {
        expect(body.id).not.toBe(stranger.id)
        const { id: _, email: __, invitation_token: token, ...others } = body
        return { status, names: Object.keys(headers), token: token.length, ...others }
      })
      expect(shapes[0]).toEqual(shapes[1])
      const { cookie } = await signIn(id, 'member')
      const { data } = (await click(cookie, 'GET', '/people')).body
      const [unknown, known] = ['new@nowhere.example', stranger.email].map((email) => {
        const { id: _, email: __, ...others } = data.find((each: any) => each.email === email)
        return others
      })
      expect(known).toEqual(unknown)
    })

    it('to a second account is accepted with the password, which stays the same', async () => {
      const one = await makeAccount()
      const { email, cookie } = await signIn(one.id, 'administrator')
      const { id } = await makeAccount()
      const { invitation_token: token } = (await inviteTo(id, email)).body
      expect((await click(cookie, 'GET', '/session')).body.accounts).toHaveLength(1)
      expect(await accept(token, password)).toMatchObject({ status: 201, body: { email, role: 'member', account: id } })
      expect((await click(cookie, 'GET', '/session', undefined, id)).body).toMatchObject({ person: { role: 'member' } })
      expect((await click(cookie, 'GET', '/session', undefined, one.id)).status).toBe(200)
      expect((await accept(token, password)).status).toBe(400)
      expect((await trailOf(id)).slice(1, 2)).toEqual([`person.joined ${email}`])
      expect(await trailOf(one.id)).not.toContain(`person.joined ${email}`)
    })

    it('is accepted without a password by a person who is signed in, and by nobody else', async () => {
      const invited = await signIn((await makeAccount()).id, 'member')
      const { id } = await makeAccount()
      const { invitation_token: token } = (await inviteTo(id, invited.email)).body
      const { cookie } = await signIn(id, 'administrator')
      for (const other of ['', cookie]) {
        expect((await accept(token, undefined, { cookie: other })).body).toMatchObject({ code: 'invitation_invalid' })
      }
      expect((await accept(token, undefined, { cookie: invited.cookie })).status).toBe(201)
      const { invitation_token: unused } = (await inviteTo(id, 'unknown@nowhere.example')).body
      expect((await accept(unused, undefined, { cookie })).body).toMatchObject({ code: 'invitation_invalid' })
    })

    it('neither sets a password of somebody else, nor lets their password be guessed', async () => {
      const one = await makeAccount()
      const { email, cookie } = await signIn(one.id, 'administrator')
      const { id } = await makeAccount()
      const { invitation_token: token } = (await inviteTo(id, email)).body
      const from = { remoteAddress: '192.0.2.33' }
      const unknown = (await accept('A'.repeat(43), 'a guess at the password', from)).body
      for (let count = 0; count < 10; count++) {
        const { request_id: _, ...answer } = (await accept(token, `a guess at the password ${count}`, from)).body
        expect(unknown).toMatchObject(answer)
      }
      expect((await accept(token, password, from)).body).toMatchObject({ status: 429, code: 'too_many_attempts' })
      // The attempts are those of the sign-in.
      expect((await signInAs(email, password, from.remoteAddress)).status).toBe(429)
      expect((await signInAs(email, 'a guess at the password 1', '192.0.2.34')).status).toBe(401)
      expect((await signInAs(email, password, '192.0.2.34')).body.accounts).toEqual([{ id: one.id, name: one.id }])
      expect((await click(cookie, 'GET', '/session')).status).toBe(200)
    })

    it('that is open shows and grants nothing, also to somebody who took the address first', async () => {
      const email = 'taken@nowhere.example'
      const [squatted, wanted] = [await makeAccount(), await makeAccount()]
      const first = (await inviteTo(squatted.id, email)).body
      const second = (await inviteTo(wanted.id, email)).body
      expect((await accept(first.invitation_token, 'chosen by a squatter')).status).toBe(201)
      const session = await signInAs(email, 'chosen by a squatter')
      expect(session.body.accounts).toEqual([{ id: squatted.id, name: squatted.id }])
      const cookie = cookieOf(session.headers)
      expect((await click(cookie, 'GET', '/people', undefined, wanted.id)).status).toBe(403)
      expect((await accept(second.invitation_token, 'the true person here')).status).toBe(400)
      // With the last account that was joined, the password goes.
      const { cookie: boss } = await signIn(squatted.id, 'administrator')
      expect((await click(boss, 'DELETE', `/people/${first.id}`)).status).toBe(204)
      expect((await click(cookie, 'GET', '/session')).status).toBe(401)
      expect((await signInAs(email, 'chosen by a squatter')).status).toBe(401)
      expect((await accept(second.invitation_token, 'the true person here')).status).toBe(201)
      expect((await signInAs(email, 'the true person here')).body.accounts).toHaveLength(1)
    })

    it('is accepted once when two links for the same new address are opened at once', async () => {
      const email = 'twice@nowhere.example'
      const accounts = [await makeAccount(), await makeAccount()]
      const tokens: string[] = []
      for (const { id } of accounts) tokens.push((await inviteTo(id, email)).body.invitation_token)
      const answers = await Promise.all(tokens.map((token, index) => accept(token, `password number ${index}`)))
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400])
      const winner = answers.findIndex(({ status }) => status === 201)
      expect((await signInAs(email, `password number ${winner}`)).body.accounts).toHaveLength(1)
      expect((await signInAs(email, `password number ${1 - winner}`)).status).toBe(401)
    })

    it('is accepted for a person to whom the operator gives a first password', async () => {
      const email = 'given@nowhere.example'
      const { id } = await makeAccount()
      const { invitation_token: token } = (await inviteTo(id, email)).body
      const [person] = await findMembershipsOf(store, email)
      await resetPassword(store, { person: person!, password: 'given by operator', actor: operator, now: clock.now })
      expect((await signInAs(email, 'given by operator')).body).toMatchObject({ account: { id } })
      expect((await accept(token, 'given by operator')).status).toBe(400)
    })

    it('joins by a new password from the operator only where the invitation has not expired', async () => {
      const [expired, open] = [await makeAccount(), await makeAccount()]
      const email = 'forgetful@nowhere.example'
      await inviteTo(expired.id, email)
      clock.now += 7 * dayMs
      await inviteTo(open.id, email)
      const [person] = await findMembershipsOf(store, email)
      await resetPassword(store, { person: person!, password: 'given by operator', actor: operator, now: clock.now })
      const { account, accounts } = (await signInAs(email, 'given by operator')).body
      expect({ account, accounts }).toMatchObject({ account: { id: open.id }, accounts: [{ id: open.id }] })
    })
  })

  describe('who is removed from one account', () => {
    it('keeps the others, the session and the password', async () => {
      const { one, other, email, cookie, id, otherId } = await makeBoth()
      const boss = await signIn(one.id, 'administrator')
      expect((await click(boss.cookie, 'DELETE', `/people/${otherId}`)).status).toBe(404)
      expect((await click(boss.cookie, 'DELETE', `/people/${id}`)).status).toBe(204)
      expect((await click(cookie, 'GET', '/session', undefined, one.id)).status).toBe(403)
      expect((await click(cookie, 'GET', '/session')).body).toMatchObject({ account: { id: other.id } })
      expect((await signInAs(email)).status).toBe(200)
      expect(await trailOf(other.id)).not.toContain(`person.removed ${email}`)
    })

    it('is deleted with the last one, with sessions, views and addresses', async () => {
      const { one, other, email, cookie, id, otherId } = await makeBoth()
      await click(cookie, 'POST', '/views', { name: 'x', search: '' }, other.id)
      const bosses = [await signIn(one.id, 'administrator'), await signIn(other.id, 'administrator')]
      // At once, so that neither sees the other's change.
      const answers = await Promise.all([
        click(bosses[0]!.cookie, 'DELETE', `/people/${id}`),
        click(bosses[1]!.cookie, 'DELETE', `/people/${otherId}`),
      ])
      expect(answers.map(({ status }) => status)).toEqual([204, 204])
      expect(await store.selectFrom('people').select('id').where('email', '=', email).execute()).toEqual([])
      for (const table of ['sessions', 'views', 'signInAddresses'] as const) {
        expect(await store.selectFrom(table).select('personId').where('personId', '=', id).execute()).toEqual([])
      }
    })

    // In SQLite, transactions take turns.
    it.runIf(database === 'PostgreSQL')('is deleted also if a sweep deletes the last one but one', async () => {
      const { email, id, otherId } = await makeBoth()
      const sweep = await store.startTransaction().execute()
      await sweep.deleteFrom('memberships').where('id', '=', otherId).execute()
      const removing = store.transaction().execute((transaction) => {
        return transaction.deleteFrom('memberships').where('id', '=', id).execute()
      })
      const waiting = sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      await vi.waitFor(async () => expect((await waiting.execute(store)).rows).toHaveLength(1))
      await sweep.commit().execute()
      await removing
      expect(await store.selectFrom('people').select('id').where('email', '=', email).execute()).toEqual([])
    })

    it('is not missed as an Administrator by the other', async () => {
      const { one, other, cookie, id } = await makeBoth()
      await store.updateTable('memberships').set({ role: 'administrator' }).where('accountId', '=', other.id).execute()
      expect((await click(cookie, 'DELETE', `/people/${id}`, undefined, one.id)).body).toMatchObject({
        status: 409,
        code: 'last_administrator',
      })
      await signIn(one.id, 'administrator')
      expect((await click(cookie, 'DELETE', `/people/${id}`, undefined, one.id)).status).toBe(204)
    })
  })

  it('can sign in, join, be changed and be removed by several accounts at once', async () => {
    for (let round = 0; round < 8; round++) {
      const { one, other, email, cookie, id, otherId } = await makeBoth()
      const third = await makeAccount()
      const { invitation_token: token } = (await inviteTo(third.id, email)).body
      const bosses = [await signIn(one.id, 'administrator'), await signIn(other.id, 'administrator')] as const
      const answers = await Promise.all([
        signInAs(email),
        click(bosses[0].cookie, 'PATCH', `/people/${id}`, { role: 'member' }),
        accept(token, undefined, { cookie }),
        click(bosses[1].cookie, 'DELETE', `/people/${otherId}`),
        signInAs(email),
        inviteTo(third.id, `${round}@nowhere.example`),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 204, 200, 201])
      const left = (await findMembershipsOf(store, email)).map(({ accountId }) => accountId)
      expect(left).toEqual([one.id, third.id].toSorted())
    }
  })

  it('is added to another account by the operator only with the password that they have', async () => {
    const { email, id } = await signIn((await makeAccount()).id, 'member')
    const { id: accountId } = await makeAccount()
    const person = { accountId, email, role: 'member', actor: operator, now: clock.now } as const
    expect(await createPerson(store, { ...person, password: 'another password' })).toEqual({ refusal: 'has_password' })
    expect((await signInAs(email)).body.accounts).toHaveLength(1)
    const created = await createPerson(store, { ...person, password: undefined })
    expect(created).toMatchObject({ personId: id, invitationExpiresAt: null })
    expect((await signInAs(email, 'another password')).status).toBe(401)
    expect((await signInAs(email)).body.accounts).toHaveLength(2)
  })

  describe('guesses from many addresses', () => {
    const use = async (email: string) => {
      const guesses = Array.from({ length: 110 }, (_, index) => signInAs(email, 'wrong', `198.51.100.${index}`))
      const statuses = (await Promise.all(guesses)).map(({ status }) => status)
      expect(statuses).toContain(429)
    }

    it('do not lock a person out at an address from which they signed in, for 90 days', async () => {
      const { email } = await signIn((await makeAccount()).id, 'member')
      const home = '203.0.113.5'
      expect((await signInAs(email, password, home)).status).toBe(200)
      await use(email)
      expect((await signInAs(email, password, '203.0.113.6')).status).toBe(429)
      expect((await signInAs(email, password, home)).status).toBe(200)
      // Guesses from there are limited like those from any address.
      const guesses = []
      for (let count = 0; count < 11; count++) guesses.push((await signInAs(email, 'wrong', home)).status)
      expect(guesses.slice(9)).toEqual([401, 429])

      clock.now += 90 * dayMs + 1
      await use(email)
      expect((await signInAs(email, password, home)).status).toBe(429)
    })

    it('are remembered for at most ten addresses of a person, and not in plain text', async () => {
      const { email, id } = await signIn((await makeAccount()).id, 'member')
      for (let count = 0; count < 15; count++) {
        clock.now += 1
        await signInAs(email, password, `203.0.113.${count}`)
      }
      const rows = await store.selectFrom('signInAddresses').selectAll().where('personId', '=', id).execute()
      expect(rows).toHaveLength(10)
      expect(rows.map(({ signedInAt }) => clock.now - signedInAt).toSorted((a, b) => a - b)).toEqual([
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
      ])
      for (const { digest } of rows) expect(digest).toMatch(/^[0-9a-f]{64}$/)
    })
  })
})
