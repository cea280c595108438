/** Records of what the control database holds, for the console's API and for --json on the command line. */
import { basename } from 'node:path'
import type { Usage } from '../../access/rate-decision.ts'
import type { RateRule } from '../../access/rate-rules.ts'
import {
  accountRecord,
  auditRecord,
  keyRecord,
  loadRecord,
  personRecord,
  usageRecord,
  viewRecord,
} from '../../contract/console.ts'
import { toRecord } from '../../contract/record.ts'
import type { AccountLoad } from '../../ingest/list-loads.ts'
import { cubesOf, type Account } from '../../store/accounts.ts'
import type { AuditEntry } from '../../access/list-audit.ts'
import type { StoredKey } from '../../access/keys.ts'
import type { Membership } from '../../access/memberships.ts'
import type { View } from '../../access/views.ts'

export const accountShape = (account: Account) =>
  toRecord(accountRecord, {
    ...account,
    cubes: cubesOf(account).map(({ name }) => name),
    status: account.disabledAt === null ? 'active' : 'disabled',
  })

export const keyShape = (key: StoredKey, now: number) =>
  toRecord(keyRecord, { ...key, status: now < key.expiresAt ? 'active' : 'expired' })

export const personShape = (membership: Membership) =>
  toRecord(personRecord, { ...membership, status: membership.invitationExpiresAt === null ? 'active' : 'invited' })

export const auditShape = (entry: AuditEntry) => toRecord(auditRecord, entry)

export const viewShape = (view: View) => toRecord(viewRecord, view)

export const usageShape = (rule: RateRule, { quota, used, resetsAt }: Omit<Usage, 'name' | 'windowMs'>) =>
  toRecord(usageRecord, { ...rule, quota, used, resetsAt: used === 0 ? null : resetsAt })

const filesMax = 20

export const loadShape = (load: AccountLoad) =>
  toRecord(loadRecord, {
    ...load,
    loadedBy: load.loadedBy || null,
    fileCount: load.files && load.files.length,
    files: load.files && load.files.slice(0, filesMax).map(({ name, bytes }) => ({ name: basename(name), bytes })),
    warnings: load.warnings && {
      count: load.warnings.count,
      first: load.warnings.first.map((warning) => ({ ...warning, file: basename(warning.file) })),
    },
  })
