import type { Settings } from '../settings.ts'

/** The outcome of a check. Adcube does not work, or not safely, until a failure is fixed. */
export type Finding = { readonly status: 'ok' | 'warn' | 'fail'; readonly detail: string }

/** A check changes nothing. */
export type Check = (settings: Settings) => Finding | Promise<Finding>

export const ok = (detail: string): Finding => ({ status: 'ok', detail })
export const warn = (detail: string): Finding => ({ status: 'warn', detail })
export const fail = (detail: string): Finding => ({ status: 'fail', detail })

/** Joins the details of the findings that have the worst status. */
export function worst(all: readonly (Finding | false | undefined)[]): Finding {
  const findings = all.filter((finding) => finding !== false && finding !== undefined)
  for (const status of ['fail', 'warn'] as const) {
    const found = findings.filter((finding) => finding.status === status)
    if (found.length > 0) return { status, detail: found.map(({ detail }) => detail).join(' ') }
  }
  return ok(findings.map(({ detail }) => detail).join(', '))
}

export const messageOf = (error: unknown): string => {
  // A host with several addresses fails with an error for each, and none of them is in the message.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
