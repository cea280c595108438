import { describe, expect, it } from 'vitest'
import { createView } from '../../src/access/views.ts'
import type { ViewRecord } from '../../src/contract/console.ts'
import { findMembership } from '../../src/access/memberships.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'
import { openControlService } from '../setup/control-service.ts'

describe.each(databases)('saved views, with the control data in %s', async (database) => {
  const store = await openStoreAt(await makePlace(database))
  const { clock, click, makeAccount, signIn } = await openControlService(store)
  const listViews = async (cookie: string): Promise<readonly ViewRecord[]> =>
    (await click(cookie, 'GET', '/views')).body.data
  const view = { name: 'Revenue by country', search: '?cube=auctions&dimensions=Country' }

  it('are listed for the person who saved them, and can be changed and deleted', async () => {
    const { cookie } = await signIn((await makeAccount()).id, 'member')
    expect(await listViews(cookie)).toEqual([])
    const saved = await click(cookie, 'POST', '/views', { ...view, name: ` ${view.name} ` })
    const createdAt = new Date(clock.now).toISOString()
    expect(saved.status).toBe(201)
    expect(saved.body).toEqual({ id: expect.stringMatching(/^vie_/), ...view, created_at: createdAt })
    clock.now += 1_000
    const second = (await click(cookie, 'POST', '/views', { name: 'Über 😀', search: '' })).body
    expect(await listViews(cookie)).toEqual([saved.body, second])

    const path = `/views/${saved.body.id}`
    const other = { name: 'Clicks', search: '?metrics=Clicks' }
    const changed = { id: saved.body.id, ...other, created_at: createdAt }
    expect(await click(cookie, 'PUT', path, other)).toMatchObject({ status: 200, body: changed })
    expect(await listViews(cookie)).toEqual([changed, second])
    expect((await click(cookie, 'DELETE', path)).status).toBe(204)
    expect(await listViews(cookie)).toEqual([second])
    for (const method of ['PUT', 'DELETE'] as const) {
      const gone = await click(cookie, method, path, method === 'PUT' ? other : undefined)
      expect(gone.body).toMatchObject({ status: 404, code: 'not_found' })
    }
  })

  it('are hidden from everybody else, in the account and in others', async () => {
    const { id } = await makeAccount()
    const owner = await signIn(id, 'member')
    const saved: ViewRecord = (await click(owner.cookie, 'POST', '/views', view)).body
    const strangers = [await signIn(id, 'administrator'), await signIn((await makeAccount()).id, 'administrator')]
    for (const { cookie } of strangers) {
      expect(await listViews(cookie)).toEqual([])
      expect((await click(cookie, 'PUT', `/views/${saved.id}`, { name: 'mine', search: '' })).status).toBe(404)
      expect((await click(cookie, 'DELETE', `/views/${saved.id}`)).status).toBe(404)
    }
    expect(await listViews(owner.cookie)).toEqual([saved])
  })

  it('are limited to fifty per person, also when more are saved at once', async () => {
    const { id } = await makeAccount()
    const [{ id: personId, cookie }, other] = [await signIn(id, 'member'), await signIn(id, 'member')]
    const membership = (await findMembership(store, personId))!
    const save = () => createView(store, { membership, ...view, now: clock.now })
    for (let count = 0; count < 45; count++) await save()
    const outcomes = await Promise.all(Array.from({ length: 10 }, save))
    expect(outcomes.filter((outcome) => 'refusal' in outcome)).toHaveLength(5)
    expect(await listViews(cookie)).toHaveLength(50)
    expect((await click(cookie, 'POST', '/views', view)).body).toMatchObject({
      status: 409,
      code: 'too_many_views',
      detail: 'You can save at most 50 views. Delete one first.',
    })
    expect((await click(other.cookie, 'POST', '/views', view)).status).toBe(201)
  })

  it('are deleted with the person, and are not in the audit trail', async () => {
    const { id } = await makeAccount()
    const [boss, member] = [await signIn(id, 'administrator'), await signIn(id, 'member')]
    const trail = (await click(boss.cookie, 'GET', '/audit')).body
    await click(member.cookie, 'POST', '/views', view)
    expect((await click(boss.cookie, 'GET', '/audit')).body).toEqual(trail)
    const kept = () => store.selectFrom('views').select('id').where('membershipId', '=', member.id).execute()
    expect(await kept()).toHaveLength(1)
    expect((await click(boss.cookie, 'DELETE', `/people/${member.id}`)).status).toBe(204)
    expect(await kept()).toEqual([])
  })

  const wrongName = { pointer: '#/name', detail: 'A name of 1 to 60 printable characters.' }
  const wrongSearch = {
    pointer: '#/search',
    detail: 'The query part of an address: at most 4,000 ASCII characters without spaces.',
  }

  it.each([
    [{ search: '' }, { pointer: '#/name', detail: 'Required.' }],
    [{ name: 'x' }, { pointer: '#/search', detail: 'Required.' }],
    [
      { ...view, person_id: 'x' },
      { pointer: '#/person_id', detail: 'Unknown field.' },
    ],
    [{ ...view, name: '  ' }, wrongName],
    [{ ...view, name: 'a\0b' }, wrongName],
    [{ ...view, name: 'x'.repeat(61) }, wrongName],
    [{ ...view, search: 'x'.repeat(4_001) }, wrongSearch],
    [{ ...view, search: 'a b' }, wrongSearch],
    [{ ...view, search: '\0' }, wrongSearch],
    [{ ...view, search: 7 }, wrongSearch],
  ])('with a fault are refused, and the fault is named: %j', async (payload, fault) => {
    const { cookie } = await signIn((await makeAccount()).id, 'member')
    const saved: ViewRecord = (await click(cookie, 'POST', '/views', view)).body
    for (const answer of [
      await click(cookie, 'POST', '/views', payload),
      await click(cookie, 'PUT', `/views/${saved.id}`, payload),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_body', errors: [fault] } })
    }
    expect(await listViews(cookie)).toEqual([saved])
  })

  it('can be as long as the documented maximum', async () => {
    const { cookie } = await signIn((await makeAccount()).id, 'member')
    const long = { name: '😀'.repeat(60), search: `?${'x'.repeat(3_999)}` }
    expect(await click(cookie, 'POST', '/views', long)).toMatchObject({ status: 201, body: long })
  })

  it('need a session, an allowed method and a well-formed id', async () => {
    const { cookie } = await signIn((await makeAccount()).id, 'member')
    const path = `/views/vie_${'0'.repeat(32)}`
    for (const [method, url] of [
      ['GET', '/views'],
      ['POST', '/views'],
      ['PUT', path],
      ['DELETE', path],
    ] as const) {
      const payload = method === 'POST' || method === 'PUT' ? view : undefined
      expect((await click('', method, url, payload)).body).toMatchObject({ status: 401, code: 'sign_in_needed' })
    }
    expect(await click(cookie, 'PATCH', '/views')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } })
    expect(await click(cookie, 'GET', path)).toMatchObject({ status: 405, headers: { allow: 'PUT, DELETE' } })
    for (const id of ['%00', 'x', "'"]) expect((await click(cookie, 'DELETE', `/views/${id}`)).status).toBe(404)
    expect((await click(cookie, 'GET', '/views?limit=5')).body).toMatchObject({ code: 'invalid_parameter' })
  })
})
