import { recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import { updatePassword, type Person } from '../store/people.ts'
import type { Actor } from './actor.ts'
import { hashPassword } from './password.ts'

/** Sets a password; whoever is signed in with the old one is signed out everywhere. */
export async function changePassword(
  store: Store,
  { person, password, actor, now }: { person: Person; password: string; actor: Actor; now: number },
): Promise<void> {
  const passwordHash = await hashPassword(password)
  await store.transaction().execute(async (transaction) => {
    if (!(await updatePassword(transaction, person.id, passwordHash))) return
    await recordAudit(transaction, {
      accountId: person.accountId,
      at: now,
      actor,
      action: 'person.password_changed',
      subject: person.email,
    })
  })
}
