import type { Person } from '../api/calls.ts'

export type Role = Person['role']

export const roleNames: Record<Role, string> = { administrator: 'Administrator', member: 'Member' }

export const roles: readonly { readonly role: Role; readonly may: string }[] = [
  { role: 'member', may: 'Explores data and makes reports' },
  { role: 'administrator', may: 'Also creates and deletes API keys, and invites and removes people' },
]
