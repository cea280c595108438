import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { updatePassword, type Person } from '../store/people.ts'
import { actorOf, type Actor } from './actor.ts'
import { hashPassword } from './password.ts'
import { openSession } from './session.ts'

type Change = { readonly person: Person; readonly password: string; readonly now: number }

/** Sets a password; whoever is signed in with the old one is signed out everywhere. False where the person is gone. */
export async function resetPassword(
  store: Store,
  { actor, ...change }: Change & { readonly actor: Actor },
): Promise<boolean> {
  const passwordHash = await hashPassword(change.password)
  return store.transaction().execute((transaction) => replace(transaction, { ...change, passwordHash, actor }))
}

/**
 * Changes one's own password, and opens a session in place of those that end with the old one. Undefined where the old
 * password, whose hash is given, has been replaced meanwhile: an operator's word stands.
 */
export async function changeOwnPassword(
  store: Store,
  { replaced, ...change }: Change & { readonly replaced: string },
): Promise<string | undefined> {
  const passwordHash = await hashPassword(change.password)
  const actor = actorOf(change.person)
  return store.transaction().execute(async (transaction) => {
    if (!(await replace(transaction, { ...change, passwordHash, actor, replaced }))) return undefined
    return openSession(transaction, change.person.id, change.now)
  })
}

async function replace(
  transaction: Store,
  {
    person,
    passwordHash,
    replaced,
    actor,
    now,
  }: Omit<Change, 'password'> & {
    readonly passwordHash: string
    readonly replaced?: string
    readonly actor: Actor
  },
): Promise<boolean> {
  if (!(await updatePassword(transaction, person.id, passwordHash, replaced === undefined ? {} : { replaced })))
    return false
  await recordAudit(transaction, {
    accountId: person.accountId,
    at: now,
    actor,
    action: 'person.password_changed',
    subject: person.email,
  })
  return true
}
