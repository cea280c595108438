import type { Person } from '../store/people.ts'

/** Who makes a change, as the audit trail names them. */
export type Actor = string

export const actorOf = ({ email }: Person): Actor => email
