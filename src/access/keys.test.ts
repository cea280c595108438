import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cubes } from '../catalog/cubes.ts'
import { createAccount } from '../store/accounts.ts'
import { openStore, type Store } from '../store/open-store.ts'
import { createKey } from './create-key.ts'
import { generateKey, hashKey, isKeyWellFormed } from './key-form.ts'
import { verifyKey } from './verify-key.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretOf = (key: string): string => key.slice(4, 44)

describe('the form of a key', () => {
  it('is adc_, 40 random characters and 6 of checksum, and no two keys are alike', () => {
    const keys = Array.from({ length: 1_000 }, generateKey)
    expect(keys.filter((key) => !/^adc_[0-9A-Za-z]{40}[0-9A-Za-z]{6}$/.test(key))).toEqual([])
    expect(keys.filter((key) => !isKeyWellFormed(key))).toEqual([])
    expect(new Set(keys).size).toBe(keys.length)
    // Every character is drawn from the whole alphabet: 40,000 draws miss none.
    expect(new Set(keys.flatMap((key) => secretOf(key).split(''))).size).toBe(alphabet.length)
  })

  it('stays as it is, so that keys of today are known to the versions of tomorrow', () => {
    // Worked out with another implementation of CRC-32.
    expect(isKeyWellFormed(`adc_${alphabet.slice(0, 40)}0omAup`)).toBe(true)
    expect(isKeyWellFormed(`adc_${alphabet.slice(-40)}2Eigzg`)).toBe(true)
  })

  it('does not survive a change of any one character to any other', () => {
    const key = generateKey()
    const changed = Array.from(key).flatMap((character, index) =>
      `${alphabet}_- \n`
        .split('')
        .filter((other) => other !== character)
        .map((other) => `${key.slice(0, index)}${other}${key.slice(index + 1)}`),
    )
    expect(changed.length).toBeGreaterThan(3_000)
    expect(changed.filter((text) => isKeyWellFormed(text))).toEqual([])
  })

  it('does not survive a swap of two different neighbours', () => {
    const swapped = Array.from({ length: 200 }, generateKey).flatMap((key) =>
      Array.from(key.slice(1), (next, index) => ({
        key,
        text: `${key.slice(0, index)}${next}${key[index]}${key.slice(index + 2)}`,
      })),
    )
    expect(swapped.filter(({ key, text }) => text !== key && isKeyWellFormed(text))).toEqual([])
  })

  it('does not survive a character more or less, nor space around it', () => {
    const key = generateKey()
    const lengths = [key.slice(0, -1), key.slice(1), `${key}0`, `0${key}`, key.replace('adc_', '')]
    const spaces = [` ${key}`, `${key} `, `${key}\n`, `${key}\0`]
    const cases = [key.toUpperCase(), key.toLowerCase(), `${key}${key}`, '']
    expect([...lengths, ...spaces, ...cases].filter((text) => isKeyWellFormed(text))).toEqual([])
  })

  it('is not met by any text that is not a key', () => {
    const almost = fc.stringMatching(/^adc_[0-9A-Za-z]{46}$/)
    // A text of the right letters has one chance in four thousand million to have the right checksum too.
    fc.assert(fc.property(fc.oneof(fc.string(), almost), (text) => !isKeyWellFormed(text)))
  })
})

describe('a key', () => {
  const accountId = 'acc_test'
  const madeAt = Date.UTC(2026, 4, 14, 9, 30, 15)
  let folder = ''
  let store: Store

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adcube-keys-'))
    store = await openStore(folder)
    await createAccount(store, { id: accountId, name: 'Test', now: madeAt })
  })

  afterAll(async () => {
    await store.destroy()
    await rm(folder, { recursive: true })
  })

  const make = (now: number) => createKey(store, { accountId, name: 'mine', now })

  it.each([
    ['in the middle of a month', Date.UTC(2026, 4, 14, 9, 30, 15), Date.UTC(2026, 10, 14, 9, 30, 15)],
    ['on 31 August', Date.UTC(2026, 7, 31, 23, 59, 59), Date.UTC(2027, 1, 28, 23, 59, 59)],
    ['on 31 August before a leap year', Date.UTC(2027, 7, 31), Date.UTC(2028, 1, 29)],
    ['on the last day of a February', Date.UTC(2026, 1, 28, 12), Date.UTC(2026, 7, 28, 12)],
    ['at the turn of a year', Date.UTC(2026, 11, 31, 23, 59, 59), Date.UTC(2027, 5, 30, 23, 59, 59)],
  ])('made %s works for six calendar months, to the second', async (_, now, end) => {
    const { key, expiresAt } = await make(now)
    expect(expiresAt).toBe(end)
    for (const time of [now, end - 1_000, end - 1]) {
      expect(await verifyKey(store, key, time)).toMatchObject({ account: { id: accountId } })
    }
    for (const time of [end, end + 1_000, end + 365 * 86_400_000]) {
      expect(await verifyKey(store, key, time)).toEqual({ refusal: 'expired' })
    }
  })

  it('opens the account it was made for, with the cubes of that account', async () => {
    await createAccount(store, { id: 'acc_other', name: 'Other', now: madeAt })
    const mine = await make(madeAt)
    const other = await createKey(store, { accountId: 'acc_other', name: 'mine', now: madeAt })
    expect(await verifyKey(store, mine.key, madeAt)).toEqual({
      account: { id: accountId, name: 'Test', cubes },
    })
    expect(await verifyKey(store, other.key, madeAt)).toMatchObject({ account: { id: 'acc_other' } })
  })

  it('is recognised by its last four characters', async () => {
    const { key, lastFour } = await make(madeAt)
    expect(lastFour).toBe(key.slice(-4))
  })

  it('is refused as missing when there is none', async () => {
    expect(await verifyKey(store, undefined, madeAt)).toEqual({ refusal: 'missing' })
    expect(await verifyKey(store, '', madeAt)).toEqual({ refusal: 'missing' })
  })

  it('that is unknown, misspelt or deleted is refused alike', async () => {
    const { key, id } = await make(madeAt)
    const misspelt = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
    const hash = hashKey(key)
    for (const text of [generateKey(), misspelt, ` ${key}`, key.slice(0, -1), hash, id, "' OR 1=1 --", '\0', '🔑']) {
      expect(await verifyKey(store, text, madeAt), text).toEqual({ refusal: 'invalid' })
    }
    await store.updateTable('api_keys').set({ deleted_at: madeAt }).where('id', '=', id).execute()
    expect(await verifyKey(store, key, madeAt)).toEqual({ refusal: 'invalid' })
    const longAfter = Date.UTC(2030, 0, 1)
    expect(await verifyKey(store, key, longAfter)).toEqual({ refusal: 'invalid' })
  })

  it('cannot be read from the files of the database', async () => {
    const { key, id } = await make(madeAt)
    await verifyKey(store, key, madeAt)
    const names = await readdir(folder)
    expect(names).toEqual(expect.arrayContaining(['adcube.db', 'adcube.db-wal']))
    const files = await Promise.all(names.map((name) => readFile(join(folder, name))))
    // The search would find it: the id of the same row is there.
    expect(files.some((file) => file.includes(id))).toBe(true)
    expect(files.some((file) => file.includes(key))).toBe(false)
    expect(files.some((file) => file.includes(secretOf(key)))).toBe(false)
  })
})
