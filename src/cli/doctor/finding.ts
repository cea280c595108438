import type { Settings } from '../settings.ts'

/** What a check found: nothing to do, something to know, or something without which Adcube does not work. */
export type Finding = { readonly status: 'ok' | 'warn' | 'fail'; readonly detail: string }

/** Looks at one thing and changes nothing. */
export type Check = (settings: Settings) => Finding | Promise<Finding>

export const ok = (detail: string): Finding => ({ status: 'ok', detail })
export const warn = (detail: string): Finding => ({ status: 'warn', detail })
export const fail = (detail: string): Finding => ({ status: 'fail', detail })

/** The first that is worse than the others tells; what is fine is told only where nothing is worse. */
export function worst(findings: readonly Finding[]): Finding {
  for (const status of ['fail', 'warn'] as const) {
    const found = findings.filter((finding) => finding.status === status)
    if (found.length > 0) return { status, detail: found.map(({ detail }) => detail).join(' ') }
  }
  return ok(findings.flatMap(({ detail }) => (detail === '' ? [] : [detail])).join(', '))
}

export const messageOf = (error: unknown): string => {
  // Several addresses of one host fail with several errors, of which none is in the message.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
