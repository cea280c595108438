import type { AuditEntry } from '../api/calls.ts'

export const actionWords: Record<AuditEntry['action'], string> = {
  'account.created': 'Created the account',
  'account.changed': 'Changed the account',
  'account.disabled': 'Disabled the account',
  'account.enabled': 'Enabled the account',
  'key.created': 'Created an API key',
  'key.deleted': 'Deleted an API key',
  'person.created': 'Added a person',
  'person.invited': 'Invited a person',
  'person.joined': 'Accepted an invitation',
  'person.role_changed': 'Changed a role',
  'person.password_changed': 'Changed a password',
  'person.removed': 'Removed a person',
  'person.signed_in': 'Signed in',
}
