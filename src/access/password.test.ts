import { describe, expect, it } from 'vitest'
import { LineFull } from '../concurrency/waiting-line.ts'
import { hashPassword, verifyPassword } from './password.ts'

describe('a password', () => {
  it('is recognised by its hash, which is another each time', async () => {
    const [one, other] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    expect(one).not.toBe(other)
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await verifyPassword('correct horse', one)).toBe(true)
    expect(await verifyPassword('correct horse', other)).toBe(true)
    expect(await verifyPassword('Correct horse', one)).toBe(false)
    expect(await verifyPassword('', one)).toBe(false)
  })

  it('is the same however a keyboard composes its letters', async () => {
    expect(await verifyPassword('Schlu\u0308ssel \uFB01x', await hashPassword('Schl\u00FCssel fix'))).toBe(true)
  })

  it('keeps to the costs that it was stored with', async () => {
    // Made by the reference implementation's own program: argon2 somesaltsomesalt -id -t 3 -k 256 -p 1 -l 24 -e
    const stored = '$argon2id$v=19$m=256,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$/q/UvLTEvkX5OlvoKCyG+zAd8EKBJUW5'
    expect(await verifyPassword('password', stored)).toBe(true)
  })

  it('of nobody is never right', async () => {
    expect(await verifyPassword('anything', null)).toBe(false)
    expect(await verifyPassword('', null)).toBe(false)
  })

  it('waits its turn, and is refused when too many wait', async () => {
    const attempts = Array.from({ length: 110 }, () => verifyPassword('x', null))
    const outcomes = await Promise.allSettled(attempts)
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(8)
    expect(refused[0]).toMatchObject({ reason: expect.any(LineFull) })
    expect(await verifyPassword('x', null)).toBe(false)
  })
})
