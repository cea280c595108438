import type { Key } from '../api/calls.ts'

const warningMs = 14 * 24 * 60 * 60 * 1000

/** Whether a key needs its owner: one that has expired, or will within two weeks. */
export function needsRenewal({ status, expires_at: expiresAt }: Key, now: number): boolean {
  return status === 'expired' || Date.parse(expiresAt) - now <= warningMs
}
