import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Generates the token of a session or an invitation: 256 random bits, in characters that a URL may hold. */
export const generateToken = (): string => randomBytes(32).toString('base64url')

/** Checks the form of a token, so that a malformed one costs no look-up. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

/**
 * The two halves of a SHA-256, which are stored in place of a generated secret. Such secrets have more than 200 random
 * bits, so a fast hash is as safe as a slow one. The selector is looked up in an index, whose timing could reveal it;
 * the verifier is compared in constant time.
 */
export function digestOf(secret: string): { readonly selector: string; readonly verifier: string } {
  const digest = hash('sha256', secret, 'hex')
  return { selector: digest.slice(0, 32), verifier: digest.slice(32) }
}

export const isSameVerifier = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
