import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generateKey, isKeyWellFormed } from './key-form.ts'

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
