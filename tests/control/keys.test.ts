import { hash } from 'node:crypto'
import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { atEnd } from '../setup/at-end.ts'
import { createKey, deleteKey, listKeys } from '../../src/access/keys.ts'
import { generateKey } from '../../src/access/key-form.ts'
import { KeyVerifier } from '../../src/access/verify-key.ts'
import { cubes } from '../../src/catalog/cubes.ts'
import { insertAccount } from '../../src/store/accounts.ts'
import { listAudit } from '../../src/access/list-audit.ts'
import { operator } from '../../src/store/audit.ts'
import { openStoreAt, databases, makePlace } from '../setup/stores.ts'
import { makeKey } from '../setup/make-key.ts'

const log = pino({ level: 'silent' })
const madeAt = Date.UTC(2026, 4, 14, 9, 30, 15)

describe.each(databases)('a key in %s', async (database) => {
  const place = await makePlace(database)
  const store = await openStoreAt(place)
  let accounts = 0
  const makeAccount = async (): Promise<string> => {
    const id = `account-${accounts++}`
    await insertAccount(store, { id, name: 'Test', createdAt: madeAt })
    return id
  }
  const openVerifier = (on = store): KeyVerifier => {
    const verifier = new KeyVerifier(on, log)
    atEnd(() => verifier.close())
    return verifier
  }
  const keys = openVerifier()
  const make = async (accountId: string, now = madeAt) => {
    const created = await createKey(store, { accountId, name: 'mine', actor: operator, now })
    if ('refusal' in created) throw new Error(created.refusal)
    return created
  }

  it.each([
    ['in the middle of a month', Date.UTC(2026, 4, 14, 9, 30, 15), Date.UTC(2026, 10, 14, 9, 30, 15)],
    ['on 31 August', Date.UTC(2026, 7, 31, 23, 59, 59), Date.UTC(2027, 1, 28, 23, 59, 59)],
    ['on 31 August before a leap year', Date.UTC(2027, 7, 31), Date.UTC(2028, 1, 29)],
    ['on the last day of a February', Date.UTC(2026, 1, 28, 12), Date.UTC(2026, 7, 28, 12)],
    ['at the turn of a year', Date.UTC(2026, 11, 31, 23, 59, 59), Date.UTC(2027, 5, 30, 23, 59, 59)],
  ])('created %s works for six calendar months, to the second', async (_, now, end) => {
    const account = await makeAccount()
    const { key, expiresAt } = await make(account, now)
    expect(expiresAt).toBe(end)
    for (const time of [now, end - 1_000, end - 1]) {
      expect(await keys.verify(key, time)).toMatchObject({ account: { id: account } })
    }
    for (const time of [end, end + 1_000, end + 365 * 86_400_000]) {
      expect(await keys.verify(key, time)).toMatchObject({ refusal: 'expired' })
    }
  })

  it('gives access to the cubes of its account', async () => {
    const [mine, other] = [await makeAccount(), await makeAccount()]
    const [ofMine, ofOther] = [await make(mine), await make(other)]
    expect(await keys.verify(ofMine.key, madeAt)).toEqual({
      keyId: ofMine.id,
      account: {
        id: mine,
        name: 'Test',
        cubes: cubes.map(({ name }) => name).join(','),
        rateFactor: 1,
        createdAt: madeAt,
        disabledAt: null,
        loadsRevision: '',
      },
    })
    expect(await keys.verify(ofOther.key, madeAt)).toMatchObject({ account: { id: other } })
  })

  it('that is not sent is refused as missing', async () => {
    expect(await keys.verify(undefined, madeAt)).toEqual({ refusal: 'missing' })
    expect(await keys.verify('', madeAt)).toEqual({ refusal: 'missing' })
  })

  it('that is unknown, misspelled or deleted is refused with the same answer', async () => {
    const { key, id } = await make(await makeAccount())
    const misspelt = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
    const wrong = [
      generateKey(),
      misspelt,
      ` ${key}`,
      key.slice(0, -1),
      hash('sha256', key, 'hex'),
      id,
      "' OR 1=1 --",
      '\0',
      '🔑',
    ]
    for (const text of wrong) {
      expect(await keys.verify(text, madeAt), text).toEqual({ refusal: 'invalid' })
    }
    expect(await deleteKey(store, { id, actor: operator, now: madeAt })).toMatchObject({ id })
    expect(await keys.verify(key, madeAt)).toEqual({ refusal: 'invalid' })
    expect(await keys.verify(key, Date.UTC(2030, 0, 1))).toEqual({ refusal: 'invalid' })
    expect(await deleteKey(store, { id, actor: operator, now: madeAt })).toBeUndefined()
  })

  it('that matches only the selector is refused', async () => {
    const { key, id } = await make(await makeAccount())
    await store
      .updateTable('apiKeys')
      .set({ verifier: '0'.repeat(32) })
      .where('id', '=', id)
      .execute()
    expect(await keys.verify(key, madeAt)).toEqual({ refusal: 'invalid' })
  })

  it('that is deleted while a request reads it is refused to the next one', async () => {
    const { key, id } = await make(await makeAccount())
    // The same database, whose answer about a key is held up on its way once.
    const held: (() => void)[] = []
    const slow = store.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        const isAboutKey = result.rows.some((row) => 'verifier' in (row as object))
        if (isAboutKey && held.length === 0) await new Promise<void>((resolve) => held.push(resolve))
        return result
      },
    })
    const node = openVerifier(slow)
    const early = node.verify(key, madeAt)
    await vi.waitFor(() => expect(held).toHaveLength(1))
    await deleteKey(store, { id, actor: operator, now: madeAt })
    const late = node.verify(key, madeAt)
    held[0]?.()
    expect(await early).toHaveProperty('account')
    expect(await late).toEqual({ refusal: 'invalid' })
  })

  it('that is unknown is looked up with a few others of its address at a time, and delays no known one', async () => {
    const { key } = await make(await makeAccount())
    const { key: another } = await make(await makeAccount())
    const held: (() => void)[] = []
    let isHeld = false
    const slow = store.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (isHeld && result.rows.length === 0) await new Promise<void>((resolve) => held.push(resolve))
        return result
      },
    })
    const node = openVerifier(slow)
    await node.verify(key, madeAt, () => 'one')
    isHeld = true
    const guesses = Array.from({ length: 70 }, () => node.verify(generateKey(), madeAt, () => 'one'))
    await vi.waitFor(() => expect(held).toHaveLength(3))
    expect(await node.verify(key, madeAt, () => 'one')).toHaveProperty('account')
    expect(await node.verify(another, madeAt, () => 'two')).toHaveProperty('account')
    expect(held).toHaveLength(3)
    isHeld = false
    held.forEach((release) => release())
    const outcomes = await Promise.all(guesses)
    expect(outcomes.filter((outcome) => 'refusal' in outcome && outcome.refusal === 'busy')).toHaveLength(70 - 64 - 3)
  })

  it('cannot be the eleventh active one, also when eleven are created at once', async () => {
    const account = await makeAccount()
    // As from eleven nodes, each with its own connection if the database has them.
    const nodes =
      database === 'SQLite' ? [store] : await Promise.all(Array.from({ length: 4 }, () => openStoreAt(place)))
    const outcomes = await Promise.all(
      Array.from({ length: 11 }, (_, index) =>
        createKey(nodes[index % nodes.length]!, { accountId: account, name: `${index}`, actor: operator, now: madeAt }),
      ),
    )
    expect(outcomes.filter((outcome) => 'key' in outcome)).toHaveLength(10)
    expect(outcomes.filter((outcome) => 'refusal' in outcome)).toEqual([{ refusal: 'too_many_keys' }])
    expect(await listKeys(store, account)).toHaveLength(10)
  })

  it('can be replaced when it is deleted or has expired', async () => {
    const account = await makeAccount()
    const keys = await Promise.all(Array.from({ length: 10 }, () => make(account)))
    const another = (now: number) => createKey(store, { accountId: account, name: 'x', actor: operator, now })
    expect(await another(madeAt)).toEqual({ refusal: 'too_many_keys' })
    await deleteKey(store, { id: keys[0]!.id, actor: operator, now: madeAt })
    expect(await another(madeAt)).toHaveProperty('key')
    expect(await another(madeAt)).toEqual({ refusal: 'too_many_keys' })
    expect(await another(keys[1]!.expiresAt)).toHaveProperty('key')
  })

  it('is not created for an unknown account', async () => {
    const nobody = { accountId: 'nobody', name: 'x', actor: operator, now: madeAt }
    expect(await createKey(store, nobody)).toEqual({ refusal: 'no_account' })
  })

  it('shows when it was last used, however late a node tells', async () => {
    const account = await makeAccount()
    const key = await makeKey(store, account, madeAt)
    const [one, other] = [openVerifier(), openVerifier()]
    await one.verify(key, madeAt + 5_000)
    await other.verify(key, madeAt + 9_000)
    await other.saveUsage()
    await one.saveUsage()
    expect(await listKeys(store, account)).toMatchObject([{ lastUsedAt: madeAt + 9_000, lastFour: key.slice(-4) }])
  })

  it('has audit entries for its creation and its deletion', async () => {
    const account = await makeAccount()
    const { id, lastFour } = await make(account)
    await deleteKey(store, { id, actor: 'a@b.example', now: madeAt + 1 })
    expect(await listAudit(store, { accountId: account, limit: 10 })).toMatchObject([
      { at: madeAt + 1, actor: 'a@b.example', action: 'key.deleted', subject: `mine (…${lastFour})` },
      { at: madeAt, actor: 'operator', action: 'key.created', subject: `mine (…${lastFour})` },
    ])
  })
})
