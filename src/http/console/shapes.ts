import { basename } from 'node:path'
import type { Usage } from '../../access/rate-decision.ts'
import type { RateRule } from '../../access/rate-rules.ts'
import type { Day } from '../../query/day.ts'
import type { AccountLoad, LoadedDay } from '../../store/account-loads.ts'
import { cubesOf, type Account } from '../../store/accounts.ts'
import type { AuditEntry } from '../../store/audit.ts'
import type { StoredKey } from '../../store/keys.ts'
import type { Person } from '../../store/people.ts'
import type { View } from '../../store/views.ts'

/** How things look outside: in the console's API, and with --json on the command line. */
export const accountShape = (account: Account) => ({
  id: account.id,
  name: account.name,
  cubes: cubesOf(account).map(({ name }) => name),
  rate_factor: account.rateFactor,
  status: account.disabledAt === null ? 'active' : 'disabled',
  created_at: time(account.createdAt),
  disabled_at: time(account.disabledAt),
})

export const keyShape = (key: StoredKey, now: number) => ({
  id: key.id,
  name: key.name,
  last_four: key.lastFour,
  status: now < key.expiresAt ? 'active' : 'expired',
  created_at: time(key.createdAt),
  expires_at: time(key.expiresAt),
  last_used_at: time(key.lastUsedAt),
})

export const personShape = (person: Person) => ({
  id: person.id,
  email: person.email,
  role: person.role,
  status: person.invitationExpiresAt === null ? 'active' : 'invited',
  created_at: time(person.createdAt),
  invitation_expires_at: time(person.invitationExpiresAt),
  last_signed_in_at: time(person.lastSignedInAt),
})

export const auditShape = ({ id, at, actor, action, subject }: AuditEntry) => ({
  id,
  at: time(at),
  actor,
  action,
  subject,
})

export const viewShape = ({ id, name, search, createdAt }: View) => ({ id, name, search, created_at: time(createdAt) })

/** How far a rate limit of the API is used. */
export const usageShape = (rule: RateRule, { quota, used, resetsAt }: Omit<Usage, 'name' | 'windowMs'>) => ({
  name: rule.name,
  description: rule.description,
  method: rule.method,
  path: rule.path,
  window_seconds: rule.windowSeconds,
  quota,
  used,
  /** When the oldest of them stops counting. */
  resets_at: used === 0 ? null : time(resetsAt),
})

type Days = { readonly oldest: Day; readonly today: Day; readonly loaded: readonly LoadedDay[] }

/** The days that an account can ask for, and those of them that are loaded. */
export const daysShape = ({ oldest, today, loaded }: Days) => ({
  oldest,
  today,
  data: loaded.map(({ day, rows, loads }) => ({ day, rows, loads })),
})

export const loadShape = (load: AccountLoad) => ({
  id: load.id,
  cube: load.cube,
  mode: load.mode,
  loaded_by: load.loadedBy || null,
  started_at: time(load.startedAt),
  finished_at: time(load.finishedAt),
  days: load.days,
  first_day: load.firstDay,
  last_day: load.lastDay,
  rows: load.rows,
  file_count: load.files && load.files.length,
  files: load.files && load.files.slice(0, filesShown).map(({ name, bytes }) => ({ name: basename(name), bytes })),
  warnings: load.warnings && {
    count: load.warnings.count,
    first: load.warnings.first.map((warning) => ({ ...warning, file: basename(warning.file) })),
  },
})

/** Of a load's files: it may have thousands. */
const filesShown = 20

/** What the console's pages read. */
export type ViewShape = ReturnType<typeof viewShape>
export type UsageShape = ReturnType<typeof usageShape>
export type DaysShape = ReturnType<typeof daysShape>
export type LoadShape = ReturnType<typeof loadShape>
export type AuditShape = ReturnType<typeof auditShape>

export function time(ms: number): string
export function time(ms: number | null): string | null
export function time(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
