import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { disableAccount, enableAccount } from '../../src/access/accounts.ts'
import { changeOwnPassword, resetPassword } from '../../src/access/change-password.ts'
import { operator } from '../../src/store/audit.ts'
import { findMembership, findMembershipsOf } from '../../src/access/memberships.ts'
import { cookieOf, openControlService, password } from '../setup/control-service.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

const hour = 3_600_000

describe.each(databases)('with the control data in %s', async (database) => {
  const store = await openStoreAt(await makePlace(database))
  const service = await openControlService(store)
  const { clock, click, makeAccount, send, signIn, invite } = service
  const signInAs = (email: string, secret: string, remoteAddress = '192.0.2.1') =>
    send({ method: 'POST', url: '/console/api/session', payload: { email, password: secret }, remoteAddress })

  describe('signing in', () => {
    it('gives a session with the name of the person, until they sign out', async () => {
      const account = await makeAccount()
      const { cookie, email } = await signIn(account.id, 'administrator')
      const { status, body } = await click(cookie, 'GET', '/session')
      expect(status).toBe(200)
      expect(body).toMatchObject({ person: { email, role: 'administrator' }, account: { id: account.id } })
      const out = await click(cookie, 'DELETE', '/session')
      expect(out.status).toBe(204)
      expect(cookieOf(out.headers)).toBe('adcube=')
      expect((await click(cookie, 'GET', '/session')).body).toMatchObject({ status: 401, code: 'sign_in_needed' })
    })

    it('gives the same answer to a wrong password, an unknown address and an invited person', async () => {
      const account = await makeAccount()
      const { email } = await signIn(account.id, 'member')
      const invited = await invite(account.id, 'member')
      const answers = await Promise.all(
        [email, 'nobody@nowhere.example', invited.email].map((each) => signInAs(each, 'wrong password 1')),
      )
      for (const { status, body } of answers) {
        expect({ status, code: body.code, detail: body.detail }).toEqual({
          status: 401,
          code: 'sign_in_wrong',
          detail: 'Check both and try again.',
        })
      }
    })

    it('accepts an e-mail address in any case', async () => {
      const { email } = await signIn((await makeAccount()).id, 'member')
      expect((await signInAs(email.toUpperCase(), password)).status).toBe(200)
    })

    it('expires after twelve hours without use, and always after seven days', async () => {
      const { id } = await makeAccount()
      const idle = await signIn(id, 'member')
      const busy = await signIn(id, 'member')
      const startedAt = clock.now
      clock.now += 12 * hour - 1
      expect((await click(busy.cookie, 'GET', '/session')).status).toBe(200)
      clock.now += 1
      expect((await click(idle.cookie, 'GET', '/session')).status).toBe(401)
      while (clock.now + 11 * hour < startedAt + 7 * 24 * hour) {
        clock.now += 11 * hour
        expect((await click(busy.cookie, 'GET', '/session')).status).toBe(200)
      }
      clock.now = startedAt + 7 * 24 * hour
      expect((await click(busy.cookie, 'GET', '/session')).status).toBe(401)
    })

    it('can be ended for all sessions of a person', async () => {
      const { cookie, email } = await signIn((await makeAccount()).id, 'member')
      const other = cookieOf((await signInAs(email, password)).headers)
      expect((await click(other, 'GET', '/session')).status).toBe(200)
      expect((await click(cookie, 'DELETE', '/sessions')).status).toBe(204)
      for (const each of [cookie, other]) expect((await click(each, 'GET', '/session')).status).toBe(401)
    })

    it('is slowed after ten wrong passwords from one IP address, without counting right ones', async () => {
      const { email } = await signIn((await makeAccount()).id, 'member')
      const address = '192.0.2.77'
      for (let count = 0; count < 15; count++) expect((await signInAs(email, password, address)).status).toBe(200)
      for (let count = 0; count < 10; count++)
        expect((await signInAs(email, `wrong ${count}`, address)).status).toBe(401)
      const refused = await signInAs(email, password, address)
      expect(refused).toMatchObject({
        status: 429,
        body: { code: 'too_many_attempts' },
        headers: { 'retry-after': '30' },
      })
      // From another address the person can still sign in.
      expect((await signInAs(email, password, '192.0.2.78')).status).toBe(200)
      clock.now += 30_000
      expect((await signInAs(email, password, address)).status).toBe(200)
    })

    it('is slowed for one person after a hundred attempts from all addresses, including right ones', async () => {
      const { email } = await signIn((await makeAccount()).id, 'member')
      const guesses = Array.from({ length: 110 }, (_, index) => signInAs(email, 'wrong', `198.51.100.${index}`))
      const statuses = (await Promise.all(guesses)).map(({ status }) => status)
      expect(statuses.filter((status) => status === 429)).toHaveLength(11)
    })

    it.runIf(database === 'SQLite')('is answered with 503 when too many people sign in at once', async () => {
      const attempts = Array.from({ length: 110 }, (_, index) =>
        signInAs(`nobody-${index}@nowhere.example`, 'wrong', `203.0.113.${index}`),
      )
      const answers = (await Promise.all(attempts)).filter(({ status }) => status !== 401)
      expect(answers.length).toBeGreaterThan(0)
      expect(answers[0]).toMatchObject({ status: 503, body: { code: 'sign_in_busy' }, headers: { 'retry-after': '1' } })
    })

    it('needs the whole token, not only its selector', async () => {
      const { cookie } = await signIn((await makeAccount()).id, 'member')
      await store
        .updateTable('sessions')
        .set({ verifier: '0'.repeat(32) })
        .execute()
      expect((await click(cookie, 'GET', '/session')).status).toBe(401)
    })

    it('is refused while the account is disabled, and so are existing sessions', async () => {
      const account = await makeAccount()
      const { cookie, email } = await signIn(account.id, 'administrator')
      await disableAccount(store, account.id, clock.now)
      expect((await click(cookie, 'GET', '/session')).status).toBe(401)
      expect((await signInAs(email, password)).status).toBe(401)
      await enableAccount(store, account.id, clock.now)
      expect((await click(cookie, 'GET', '/session')).status).toBe(200)
    })
  })

  describe('the cookie', () => {
    const attributes = async (headers: Record<string, string>) => {
      const { email } = await signIn((await makeAccount()).id, 'member')
      const proxied = await openControlService(store, undefined, { trustProxy: true })
      const answer = await proxied.send({
        method: 'POST',
        url: '/console/api/session',
        payload: { email, password },
        headers,
      })
      return String(answer.headers['set-cookie']).replace(/=[^;]+/, '')
    }

    it('is HttpOnly and SameSite, and with TLS also Secure', async () => {
      expect(await attributes({})).toBe('adcube; Max-Age=604800; Path=/; HttpOnly; SameSite=Strict')
      expect(await attributes({ 'x-forwarded-proto': 'https' })).toBe(
        '__Host-adcube; Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Strict',
      )
    })
  })

  describe('a page of another site', () => {
    it.each([
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:80' },
    ])('cannot change anything with the cookie of a person: %j', async (headers) => {
      const { cookie } = await signIn((await makeAccount()).id, 'administrator')
      const request = { url: '/console/api/keys', payload: { name: 'x' }, headers: { ...headers, cookie } }
      expect((await send({ method: 'POST', ...request })).body).toMatchObject({ status: 403, code: 'other_site' })
      expect((await click(cookie, 'GET', '/keys')).body.data).toHaveLength(1)
    })

    it('does not include the console itself, or programs', async () => {
      const { cookie } = await signIn((await makeAccount()).id, 'administrator')
      for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: 'http://localhost:80' }, {}]) {
        const request = { url: '/console/api/keys', payload: { name: 'x' }, headers: { ...headers, cookie } }
        expect((await send({ method: 'POST', ...request })).status).toBe(201)
      }
    })
  })

  describe('changes', () => {
    /** All requests that change something of an account. */
    const changes = async (accountId: string) => {
      const someone = await invite(accountId, 'member')
      const keys = (await click((await signIn(accountId, 'administrator')).cookie, 'GET', '/keys')).body.data
      return [
        ['POST', '/keys', { name: 'mine' }],
        ['DELETE', `/keys/${keys[0].id}`],
        ['POST', '/people', { email: `new@${accountId}.example`, role: 'administrator' }],
        ['PATCH', `/people/${someone.id}`, { role: 'administrator' }],
        ['DELETE', `/people/${someone.id}`],
      ] as const
    }
    const stateOf = async (accountId: string) => {
      const { cookie } = await signIn(accountId, 'administrator')
      const keys = (await click(cookie, 'GET', '/keys')).body.data
      const people = (await click(cookie, 'GET', '/people?limit=100')).body.data
      return { keys, people: people.filter(({ status }: any) => status === 'invited') }
    }

    it('are refused to a Member', async () => {
      const { id } = await makeAccount()
      const { cookie } = await signIn(id, 'member')
      const attempts = await changes(id)
      const before = await stateOf(id)
      for (const [method, path, payload] of attempts) {
        expect((await click(cookie, method, path, payload)).body).toMatchObject({
          status: 403,
          code: 'administrators_only',
        })
      }
      expect(await stateOf(id)).toEqual(before)
    })

    it('are refused without a session', async () => {
      const { id } = await makeAccount()
      const attempts = await changes(id)
      const before = await stateOf(id)
      for (const cookie of ['', 'adcube=', 'adcube=x', `adcube=${'A'.repeat(43)}`, '__Host-adcube=x']) {
        for (const [method, path, payload] of attempts) {
          expect((await click(cookie, method, path, payload)).body).toMatchObject({
            status: 401,
            code: 'sign_in_needed',
          })
        }
      }
      expect(await stateOf(id)).toEqual(before)
    })

    it('are refused to an Administrator of another account', async () => {
      const { id } = await makeAccount()
      const { cookie } = await signIn((await makeAccount()).id, 'administrator')
      const before = await stateOf(id)
      for (const [method, path, payload] of await changes(id)) {
        if (method === 'POST') continue
        expect((await click(cookie, method, path, payload)).body).toMatchObject({ status: 404, code: 'not_found' })
      }
      expect((await stateOf(id)).keys).toEqual(before.keys)
      expect((await click(cookie, 'GET', '/people')).text).not.toContain(id)
      expect((await click(cookie, 'GET', '/audit')).text).not.toContain(id)
    })

    it('are refused to a person who loses the right during the request', async () => {
      const { id } = await makeAccount()
      const [boss, removed, demoted] = [
        await signIn(id, 'administrator'),
        await signIn(id, 'administrator'),
        await signIn(id, 'administrator'),
      ]
      const address = await service.listen()
      const body = JSON.stringify({ name: 'late' })
      const begin = ({ cookie }: { readonly cookie: string }) => {
        const headers = { cookie, 'content-type': 'application/json', 'content-length': body.length }
        const sent = request(`${address}/console/api/keys`, { method: 'POST', headers })
        sent.write(body.slice(0, 5))
        return sent
      }
      const before = service.countBegun()
      const pending = [removed, demoted].map(begin)
      await vi.waitFor(() => expect(service.countBegun()).toBe(before + 2))
      expect((await click(boss.cookie, 'DELETE', `/people/${removed.id}`)).status).toBe(204)
      expect((await click(boss.cookie, 'PATCH', `/people/${demoted.id}`, { role: 'member' })).status).toBe(200)
      const statuses = await Promise.all(
        pending.map(async (sent) => {
          sent.end(body.slice(5))
          const [response] = (await once(sent, 'response')) as [IncomingMessage]
          return response.resume().statusCode
        }),
      )
      expect(statuses).toEqual([401, 403])
      expect((await click(boss.cookie, 'GET', '/keys')).body.data).toHaveLength(1)
    })

    it('are limited per account', async () => {
      const { cookie } = await signIn((await makeAccount()).id, 'administrator')
      const remove = () => click(cookie, 'DELETE', '/keys/x')
      for (let count = 0; count < 60; count++) expect((await remove()).status).toBe(404)
      expect(await remove()).toMatchObject({
        status: 429,
        body: { code: 'too_many_changes' },
        headers: { 'retry-after': '1' },
      })
      expect((await click(cookie, 'GET', '/keys')).status).toBe(200)
    })

    it('are allowed for an Administrator, and are all in the audit trail', async () => {
      const { id } = await makeAccount()
      const { cookie, email } = await signIn(id, 'administrator')
      const attempts = await changes(id)
      for (const [method, path, payload] of attempts) {
        expect((await click(cookie, method, path, payload)).status, path).toBeLessThan(300)
      }
      const { body } = await click(cookie, 'GET', '/audit?limit=5')
      expect(body.data.map(({ actor, action }: any) => [actor, action])).toEqual([
        [email, 'person.removed'],
        [email, 'person.role_changed'],
        [email, 'person.invited'],
        [email, 'key.deleted'],
        [email, 'key.created'],
      ])
      // The pages together are the same as the whole list.
      const all = (await click(cookie, 'GET', '/audit?limit=100')).body
      expect(all.next).toBeNull()
      const pages: unknown[] = []
      for (let path = '/audit?limit=3'; path !== '';) {
        const page = (await click(cookie, 'GET', path)).body
        pages.push(...page.data)
        path = page.next === null ? '' : `/audit?limit=3&before=${page.next}`
      }
      expect(pages).toEqual(all.data)
    })
  })

  describe('a key', () => {
    it('is shown once, and refused from the next request on after it is deleted', async () => {
      const account = await makeAccount()
      const { cookie } = await signIn(account.id, 'administrator')
      const made = await click(cookie, 'POST', '/keys', { name: ' Nightly report ' })
      expect(made).toMatchObject({
        status: 201,
        body: { name: 'Nightly report', status: 'active', last_used_at: null },
      })
      const { id, key } = made.body
      expect((await service.ask(key, 'GET', '/v2/data')).status).toBe(200)
      const list = await click(cookie, 'GET', '/keys')
      expect(list.body.data.map((each: any) => each.last_four)).toContain(key.slice(-4))
      expect(list.text).not.toContain(key)
      expect((await click(cookie, 'DELETE', `/keys/${id}`)).status).toBe(204)
      expect((await service.ask(key, 'GET', '/v2/data')).status).toBe(401)
      expect((await click(cookie, 'DELETE', `/keys/${id}`)).status).toBe(404)
    })

    it('is refused with a clear error if ten are active, also when eleven are created at once', async () => {
      const account = await makeAccount()
      const { cookie } = await signIn(account.id, 'administrator')
      const [first] = (await click(cookie, 'GET', '/keys')).body.data
      await click(cookie, 'DELETE', `/keys/${first.id}`)
      const answers = await Promise.all(
        Array.from({ length: 11 }, (_, index) => click(cookie, 'POST', '/keys', { name: `key ${index}` })),
      )
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        ...Array.from({ length: 10 }, () => 201),
        409,
      ])
      expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
        code: 'too_many_keys',
        detail: 'An account can have at most 10 active keys. Delete one first.',
      })
    })
  })

  describe('people', () => {
    it('can accept an invitation with its token, choose a password, and sign in', async () => {
      const { id } = await makeAccount()
      const { cookie } = await signIn(id, 'administrator')
      const email = `Guest@${id}.example`
      const { status, body } = await click(cookie, 'POST', '/people', { email, role: 'member' })
      expect(status).toBe(201)
      expect(body).toMatchObject({ email: email.toLowerCase(), role: 'member', status: 'invited' })
      expect(Date.parse(body.invitation_expires_at) - clock.now).toBe(7 * 24 * 60 * 60 * 1_000)
      const accept = (token: string, secret: string) =>
        send({ method: 'POST', url: '/console/api/invitation', payload: { token, password: secret } })
      expect((await accept(body.invitation_token, 'short')).body).toMatchObject({
        code: 'invalid_body',
        errors: [{ pointer: '#/password', detail: 'A password of 12 to 200 characters.' }],
      })
      expect((await accept('x', password)).body).toMatchObject({ status: 400, code: 'invitation_invalid' })
      expect((await accept(body.invitation_token, password)).status).toBe(201)
      expect((await accept(body.invitation_token, 'another password')).status).toBe(400)
      expect((await signInAs(email, password)).body).toMatchObject({
        person: { role: 'member', status: 'active', invitation_expires_at: null },
      })
      const trail = (await click(cookie, 'GET', '/audit')).body.data
      expect(trail.slice(0, 3).map(({ actor, action }: any) => [actor, action])).toEqual([
        [email.toLowerCase(), 'person.signed_in'],
        [email.toLowerCase(), 'person.joined'],
        [expect.stringContaining('administrator-'), 'person.invited'],
      ])
    })

    it('cannot accept an invitation after seven days or after it was withdrawn', async () => {
      const { id } = await makeAccount()
      const late = await invite(id, 'member')
      const accept = (token: string) =>
        send({ method: 'POST', url: '/console/api/invitation', payload: { token, password } })
      clock.now += 7 * 24 * hour
      expect((await accept(late.token)).status).toBe(400)
      const removed = await invite(id, 'member')
      const { cookie } = await signIn(id, 'administrator')
      expect((await click(cookie, 'DELETE', `/people/${removed.id}`)).status).toBe(204)
      expect((await accept(removed.token)).status).toBe(400)
    })

    it('cannot accept an invitation of a disabled account, or with half of its token', async () => {
      const { id } = await makeAccount()
      const [one, other] = [await invite(id, 'member'), await invite(id, 'member')]
      const accept = (token: string) =>
        send({ method: 'POST', url: '/console/api/invitation', payload: { token, password } })
      await disableAccount(store, id, clock.now)
      expect((await accept(one.token)).status).toBe(400)
      await enableAccount(store, id, clock.now)
      const wrong = { invitationVerifier: '0'.repeat(32) }
      await store.updateTable('memberships').set(wrong).where('id', '=', other.id).execute()
      expect((await accept(other.token)).status).toBe(400)
      const twice = await Promise.all([accept(one.token), accept(one.token)])
      expect(twice.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400])
    })

    it('cannot be invited again by an account until its invitation has expired', async () => {
      const { id } = await makeAccount()
      const late = await invite(id, 'member')
      const again = async () => {
        const { cookie } = await signIn(id, 'administrator')
        return click(cookie, 'POST', '/people', { email: late.email, role: 'administrator' })
      }
      expect((await again()).body).toMatchObject({ status: 409, code: 'email_taken' })
      clock.now += 7 * 24 * hour
      expect(await again()).toMatchObject({ status: 201, body: { email: late.email, role: 'administrator' } })
      const { cookie } = await signIn(id, 'administrator')
      const { data } = (await click(cookie, 'GET', '/people')).body
      expect(data.filter(({ email }: any) => email === late.email)).toHaveLength(1)
    })

    it('cannot be invited twice to the same account', async () => {
      const { id } = await makeAccount()
      const { cookie, email } = await signIn(id, 'administrator')
      const answer = await click(cookie, 'POST', '/people', { email: email.toUpperCase(), role: 'member' })
      expect(answer.body).toMatchObject({ status: 409, code: 'email_taken' })
    })

    it('are signed out when they are removed, and lose rights at once when they become Members', async () => {
      const { id } = await makeAccount()
      const boss = await signIn(id, 'administrator')
      const second = await signIn(id, 'administrator')
      expect((await click(boss.cookie, 'PATCH', `/people/${second.id}`, { role: 'member' })).body.role).toBe('member')
      expect((await click(second.cookie, 'POST', '/keys', { name: 'x' })).status).toBe(403)
      expect((await click(boss.cookie, 'DELETE', `/people/${second.id}`)).status).toBe(204)
      expect((await click(second.cookie, 'GET', '/session')).status).toBe(401)
      expect((await signInAs(second.email, password)).status).toBe(401)
    })

    it('always include an Administrator, also when two remove each other at once', async () => {
      const { id } = await makeAccount()
      const [one, other] = [await signIn(id, 'administrator'), await signIn(id, 'administrator')]
      await invite(id, 'administrator')
      const answers = await Promise.all([
        click(one.cookie, 'DELETE', `/people/${other.id}`),
        click(other.cookie, 'DELETE', `/people/${one.id}`),
      ])
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
      // The second one is either signed out already, or refused as the last Administrator.
      expect([
        [204, 401],
        [204, 409],
      ]).toContainEqual(statuses)
      const left = (await Promise.all([one, other].map((each) => findMembership(store, each.id)))).filter(Boolean)
      expect(left).toHaveLength(1)
      const { cookie } = answers[0].status === 204 ? one : other
      expect((await click(cookie, 'PATCH', `/people/${left[0]!.id}`, { role: 'member' })).body).toMatchObject({
        status: 409,
        code: 'last_administrator',
      })
    })

    it('change their password with the old one, and all other sessions end', async () => {
      const { cookie, email } = await signIn((await makeAccount()).id, 'member')
      const other = cookieOf((await signInAs(email, password)).headers)
      const change = (current: string) =>
        click(cookie, 'POST', '/password', { current_password: current, new_password: 'a new password' })
      expect((await change('wrong')).status).toBe(401)
      const changed = await change(password)
      expect(changed.status).toBe(204)
      for (const each of [cookie, other]) expect((await click(each, 'GET', '/session')).status).toBe(401)
      expect((await click(cookieOf(changed.headers), 'GET', '/session')).status).toBe(200)
      expect((await signInAs(email, password)).status).toBe(401)
      expect((await signInAs(email, 'a new password')).status).toBe(200)
    })

    it('cannot use their old password to replace one that the operator has just set', async () => {
      const { id, email } = await signIn((await makeAccount()).id, 'member')
      const [person] = await findMembershipsOf(store, email)
      const people = store.selectFrom('people').select('passwordHash').where('email', '=', email)
      const { passwordHash } = await people.executeTakeFirstOrThrow()
      await resetPassword(store, { person: person!, password: 'given by operator', actor: operator, now: clock.now })
      const change = { person: person!, password: 'chosen by thief', replaced: passwordHash!, now: clock.now }
      expect(await changeOwnPassword(store, change)).toBeUndefined()
      expect((await signInAs(email, 'given by operator')).status).toBe(200)
      expect(await findMembership(store, id)).toBeDefined()
    })

    it('are signed out when the operator sets their password', async () => {
      const { id, cookie, email } = await signIn((await makeAccount()).id, 'member')
      const person = (await findMembership(store, id))!
      await resetPassword(store, { person, password: 'given by operator', actor: operator, now: clock.now })
      expect((await click(cookie, 'GET', '/session')).status).toBe(401)
      expect((await signInAs(email, 'given by operator')).status).toBe(200)
    })

    it('are listed in pages', async () => {
      const { id } = await makeAccount()
      const { cookie } = await signIn(id, 'administrator')
      for (let count = 0; count < 4; count++) await invite(id, 'member')
      const first = (await click(cookie, 'GET', '/people?limit=3')).body
      const rest = (await click(cookie, 'GET', `/people?limit=3&after=${first.next}`)).body
      const all = (await click(cookie, 'GET', '/people')).body
      expect(first.data).toHaveLength(3)
      expect([...first.data, ...rest.data]).toEqual(all.data)
      expect([rest.next, all.next]).toEqual([null, null])
    })
  })

  describe('invalid input', () => {
    it.each([
      ['POST', '/keys', {}, '#/name', 'Required.'],
      ['POST', '/keys', { name: '' }, '#/name', 'A name of 1 to 100 printable characters.'],
      ['POST', '/keys', { name: '   ' }, '#/name', 'A name of 1 to 100 printable characters.'],
      ['POST', '/keys', { name: 'a\0b' }, '#/name', 'A name of 1 to 100 printable characters.'],
      ['POST', '/keys', { name: '\uD800' }, '#/name', 'A name of 1 to 100 printable characters.'],
      ['POST', '/keys', { name: 'x'.repeat(101) }, '#/name', 'A name of 1 to 100 printable characters.'],
      ['POST', '/keys', { name: 7 }, '#/name', 'A name of 1 to 100 printable characters.'],
      ['POST', '/keys', { name: 'x', role: 'y' }, '#/role', 'Unknown field.'],
      ['POST', '/people', { email: 'nobody', role: 'member' }, '#/email', 'An e-mail address.'],
      ['POST', '/people', { email: 'a@b.example', role: 'owner' }, '#/role', 'administrator or member.'],
    ] as const)('%s %s %j is told what is wrong', async (method, path, payload, pointer, detail) => {
      const { cookie } = await signIn((await makeAccount()).id, 'administrator')
      const { status, body } = await click(cookie, method, path, payload)
      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'invalid_body', errors: [{ pointer, detail }] })
    })

    it('in very many fields lists some of them, and a very large body is refused', async () => {
      const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]))
      const url = '/console/api/session'
      const answer = await send({ method: 'POST', url, payload: many })
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_body' } })
      expect(answer.body.errors).toHaveLength(20)
      const large = await send({ method: 'POST', url, payload: { email: 'x'.repeat(10_000), password } })
      expect(large).toMatchObject({ status: 413, body: { code: 'body_too_large' } })
    })

    it('in an id is answered with 404', async () => {
      const { cookie } = await signIn((await makeAccount()).id, 'administrator')
      for (const id of ['%00', 'x', "'", '%F0%9F%94%91', `per_${'0'.repeat(32)}`]) {
        expect((await click(cookie, 'DELETE', `/keys/${id}`)).status).toBe(404)
        expect((await click(cookie, 'DELETE', `/people/${id}`)).status).toBe(404)
      }
      expect((await click(cookie, 'GET', '/people?after=%00')).status).toBe(400)
    })

    it('from an IP address that was refused sixty times is answered with Retry-After', async () => {
      const remoteAddress = '192.0.2.200'
      const look = () => send({ method: 'GET', url: '/console/api/keys', remoteAddress })
      const accept = () =>
        send({ method: 'POST', url: '/console/api/invitation', payload: { token: 'x', password }, remoteAddress })
      for (let count = 0; count < 30; count++) {
        expect((await look()).status).toBe(401)
        expect((await accept()).status).toBe(400)
      }
      expect((await look()).status).toBe(429)
      expect((await accept()).status).toBe(429)
    })

    it.each(['/people?limit=0', '/people?limit=101', '/people?limit=x', '/audit?before=x', '/audit?befor=1'])(
      'at %s is told what is wrong',
      async (path) => {
        const { cookie } = await signIn((await makeAccount()).id, 'member')
        expect((await click(cookie, 'GET', path)).body).toMatchObject({ status: 400, code: 'invalid_parameter' })
      },
    )
  })
})
