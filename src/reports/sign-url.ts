import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a download address is good for, and how it shows that we made it. */
export type Ticket = { readonly jobId: string; readonly expiresAt: number }

/** Whole seconds: an address holds no more. */
const toSeconds = (ms: number): number => Math.floor(ms / 1000)

/** The query part of a download address. */
export const signTicket = (secret: Buffer, { jobId, expiresAt }: Ticket): string =>
  `expires=${toSeconds(expiresAt)}&signature=${signatureOf(secret, jobId, toSeconds(expiresAt))}`

/** Whether an address is one of ours, unaltered, and still good. */
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
