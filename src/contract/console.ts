/** Answers of the console's API. Those about accounts, keys and people are also what the command line prints with --json. */
import { Type, type Static } from 'typebox'
import type { QueryBody } from '../query/query.ts'
import { rateLimit, type JobRecord } from './answers.ts'
import { day, nullable, time } from './record.ts'

const text = Type.String()
const number = Type.Number()
const integer = Type.Integer()

export const accountRecord = Type.Object({
  id: text,
  name: text,
  cubes: Type.Array(text),
  rate_factor: number,
  status: Type.Enum(['active', 'disabled']),
  created_at: time,
  disabled_at: nullable(time),
})
type AccountRecord = Static<typeof accountRecord>

export const keyRecord = Type.Object({
  id: text,
  name: text,
  last_four: text,
  status: Type.Enum(['active', 'expired']),
  created_at: time,
  expires_at: time,
  last_used_at: nullable(time),
})
export type KeyRecord = Static<typeof keyRecord>

export const personRecord = Type.Object({
  id: text,
  email: text,
  role: Type.Enum(['administrator', 'member']),
  status: Type.Enum(['active', 'invited']),
  created_at: time,
  invitation_expires_at: nullable(time),
  last_signed_in_at: nullable(time),
})
export type PersonRecord = Static<typeof personRecord>

/** The signed-in person in one of their accounts, and the list of all. */
export type SessionAnswer = {
  readonly person: PersonRecord
  readonly account: AccountRecord
  readonly accounts: readonly { readonly id: string; readonly name: string }[]
}

export const auditActions = [
  'account.created',
  'account.changed',
  'account.disabled',
  'account.enabled',
  'key.created',
  'key.deleted',
  'person.created',
  'person.invited',
  'person.joined',
  'person.role_changed',
  'person.password_changed',
  'person.removed',
  'person.signed_in',
] as const

export type AuditAction = (typeof auditActions)[number]

export const auditRecord = Type.Object({
  id: integer,
  at: time,
  actor: text,
  action: Type.Enum([...auditActions]),
  subject: text,
})
export type AuditRecord = Static<typeof auditRecord>

export const viewRecord = Type.Object({ id: text, name: text, search: text, created_at: time })
export type ViewRecord = Static<typeof viewRecord>

/** How much of a rate limit is used. */
export const usageRecord = Type.Object({
  ...rateLimit.properties,
  used: integer,
  /** When the oldest request stops counting. */
  resets_at: nullable(time),
})
export type UsageRecord = Static<typeof usageRecord>

export const loadRecord = Type.Object({
  id: integer,
  cube: text,
  mode: Type.Enum(['replace', 'append']),
  loaded_by: nullable(text),
  started_at: time,
  finished_at: nullable(time),
  days: integer,
  first_day: day,
  last_day: day,
  rows: nullable(integer),
  file_count: nullable(integer),
  /** The first of them: a load can have thousands. */
  files: nullable(Type.Array(Type.Object({ name: text, bytes: integer }))),
  warnings: nullable(
    Type.Object({
      count: integer,
      first: Type.Array(Type.Object({ file: text, row: nullable(integer), column: nullable(text), reason: text })),
    }),
  ),
})
export type LoadRecord = Static<typeof loadRecord>

/** The days that an account can query, and which of them are loaded. */
export type DaysAnswer = {
  readonly oldest: string
  readonly today: string
  readonly data: readonly { readonly day: string; readonly rows: number | null; readonly loads: number }[]
}

export type ListedJobRecord = JobRecord & {
  readonly start: string
  readonly end: string
  /** As it was sent; null if it is too long for a list. */
  readonly query: QueryBody | null
}

/** Jobs of the last 24 hours, through the API and the console together. */
export const quotaRecord = Type.Object({ limit: integer, used: integer, next_free_at: nullable(time) })

export type JobsAnswer = {
  readonly data: readonly ListedJobRecord[]
  readonly next: string | null
  readonly quota: Static<typeof quotaRecord>
}

export type ValuesAnswer = {
  /** The most frequent first; null stands for facts without a value. */
  readonly data: readonly (string | null)[]
  /** True if there may be more. */
  readonly truncated: boolean
}
