import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Digest } from '../store/digest.ts'

/** What a session or an invitation is known by: 256 bits of chance, in characters that an address may hold. */
export const generateToken = (): string => randomBytes(32).toString('base64url')

/** Whether a text could be one at all: what could not costs no look-up. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

/**
 * What is stored of a secret that we made ourselves. Such secrets have more than two hundred bits of chance, so a plain
 * fast hash keeps them as safe as a slow one would. An index finds them by the first half, and an index takes longer
 * the more of a value fits; the second half is compared in constant time.
 */
export function digestOf(secret: string): Digest {
  const digest = hash('sha256', secret, 'hex')
  return { selector: digest.slice(0, 32), verifier: digest.slice(32) }
}

export const isSameVerifier = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
