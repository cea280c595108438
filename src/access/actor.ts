import type { Person } from '../store/people.ts'

/** Who makes a change, as the audit trail names them. */
export type Actor = string

/** Whoever has a shell on the machine. No person can be called so: addresses have an @. */
export const operator: Actor = 'operator'

export const actorOf = ({ email }: Person): Actor => email
