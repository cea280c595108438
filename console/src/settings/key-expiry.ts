import type { Key } from '../api/calls.ts'

const warningMs = 14 * 24 * 60 * 60 * 1000

/** True if a key has expired, or will within two weeks. */
export function needsRenewal({ status, expires_at: expiresAt }: Key, now: number): boolean {
  return status === 'expired' || Date.parse(expiresAt) - now <= warningMs
}
