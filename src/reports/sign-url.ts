import { createHmac, timingSafeEqual } from 'node:crypto'

/** The right to download a report until a time. */
export type Ticket = { readonly jobId: string; readonly expiresAt: number }

const toSeconds = (ms: number): number => Math.floor(ms / 1000)

/** Makes the query part of a download address. Its time is in whole seconds. */
export const signTicket = (secret: Buffer, { jobId, expiresAt }: Ticket): string =>
  `expires=${toSeconds(expiresAt)}&signature=${signatureOf(secret, jobId, toSeconds(expiresAt))}`

/** Checks that an address was made here, is unaltered, and has not expired. */
export function checkTicket(
  secret: Buffer,
  { jobId, expires, signature }: { readonly jobId: string; readonly expires: string; readonly signature: string },
  now: number,
): 'good' | 'expired' | 'forged' {
  if (!/^\d{1,12}$/.test(expires)) return 'forged'
  const expected = Buffer.from(signatureOf(secret, jobId, Number(expires)))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged'
  return now < Number(expires) * 1000 ? 'good' : 'expired'
}

const signatureOf = (secret: Buffer, jobId: string, expires: number): string =>
  createHmac('sha256', secret).update(`report\n${jobId}\n${expires}`).digest('base64url')
