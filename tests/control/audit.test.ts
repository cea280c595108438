import { describe, expect, it } from 'vitest'
import type { AuditRecord } from '../../src/contract/console.ts'
import { recordAudit } from '../../src/store/audit.ts'
import type { AuditAction } from '../../src/contract/console.ts'
import { openControlService } from '../setup/control-service.ts'
import { databases, makePlace, openStoreAt } from '../setup/stores.ts'

describe.each(databases)('the audit trail, with the control data in %s', async (database) => {
  const store = await openStoreAt(await makePlace(database))
  const { click, makeAccount, signIn } = await openControlService(store)

  const entries = [
    ['2026-11-01T00:00:00.000Z', 'ada@one.example', 'key.created'],
    ['2026-11-01T23:59:59.999Z', 'operator', 'key.created'],
    ['2026-11-02T00:00:00.000Z', 'ada@one.example', 'key.deleted'],
    ['2026-11-02T23:59:59.999Z', 'bob@one.example', 'key.created'],
    ['2026-11-03T00:00:00.000Z', 'ada@one.example', 'key.created'],
  ] as const satisfies readonly (readonly [string, string, AuditAction])[]

  /** A person who sees these entries, after the one of their own creation. */
  const openTrail = async () => {
    const { id } = await makeAccount()
    const { cookie } = await signIn(id, 'member')
    for (const [at, actor, action] of entries) {
      await recordAudit(store, { accountId: id, at: Date.parse(at), actor, action, subject: 'x' })
    }
    const read = async (search: string): Promise<{ data: readonly AuditRecord[]; next: string | null }> =>
      (await click(cookie, 'GET', `/audit?${search}`)).body
    return { cookie, read }
  }

  it.each([
    ['actor=ada@one.example', [4, 2, 0]],
    ['actor=ada%40one.example&action=key.created', [4, 0]],
    ['actor=Ada@one.example', []],
    ['actor=nobody', []],
    ['action=key.deleted', [2]],
    ['from=2026-11-02&to=2026-11-02', [3, 2]],
    ['to=2026-11-01', [1, 0]],
    ['from=2026-11-02&to=2026-11-03&actor=ada@one.example', [4, 2]],
    ['from=2026-11-03&to=2026-11-03&action=key.created&actor=operator', []],
  ])('filtered by %s has the matching entries', async (search, expected) => {
    const { read } = await openTrail()
    const { data, next } = await read(search)
    expect(data.map(({ at, actor, action }) => [at, actor, action])).toEqual(expected.map((index) => entries[index]))
    expect(next).toBeNull()
  })

  it('is paginated also when it is filtered', async () => {
    const { read } = await openTrail()
    const search = 'limit=2&actor=ada@one.example'
    const first = await read(search)
    const rest = await read(`${search}&before=${first.next}`)
    expect([first.data.length, rest.data.length, rest.next]).toEqual([2, 1, null])
    expect([...first.data, ...rest.data]).toEqual((await read('actor=ada@one.example')).data)
  })

  it('never has entries of another account, whatever the filter', async () => {
    await openTrail()
    const { cookie } = await signIn((await makeAccount()).id, 'administrator')
    expect((await click(cookie, 'GET', '/audit?actor=ada@one.example')).body.data).toEqual([])
  })

  it.each([
    ['action=key.create', 'action', '"key.create" is not an action. Did you mean "key.created"?'],
    ['action=', 'action', '"" is not an action.'],
    ['from=2026-11-31', 'from', 'A date in the form yyyy-MM-DD, not "2026-11-31".'],
    ['to=x', 'to', 'A date in the form yyyy-MM-DD, not "x".'],
    ['from=2026-11-02&to=2026-11-01', 'to', 'Before from.'],
    ['actor=a&actor=b', 'actor', 'Given more than once.'],
    ['actor=%00', 'actor', 'Holds a NUL character.'],
    ['who=a', 'who', 'Unknown parameter.'],
  ])('filtered by %s explains the fault', async (search, parameter, detail) => {
    const { cookie } = await openTrail()
    expect(await click(cookie, 'GET', `/audit?${search}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter', errors: [{ parameter, detail }] },
    })
  })

  it('needs a session, and refuses other methods', async () => {
    const { cookie } = await openTrail()
    expect((await click('', 'GET', '/audit?actor=x')).status).toBe(401)
    expect(await click(cookie, 'DELETE', '/audit')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  })
})
