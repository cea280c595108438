import type { Cube } from '../catalog/cube.ts'
import { findAccount, insertAccount, type Account } from '../store/accounts.ts'
import { operator, recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'

const idCharactersMax = 60

type NewAccount = {
  readonly name: string
  /** Derived from the name if omitted. */
  readonly id?: string | undefined
  readonly cubes?: readonly Cube[] | undefined
  readonly now: number
}

/** Creates an account; returns undefined if the given id is taken. */
export async function createAccount(store: Store, { name, id, cubes, now }: NewAccount): Promise<Account | undefined> {
  return store.transaction().execute(async (transaction) => {
    // A second account named "Aurora Games" becomes aurora-games-2.
    for (let attempt = 1; ; attempt++) {
      const chosen = id ?? (attempt === 1 ? slugOf(name) : `${slugOf(name)}-${attempt}`)
      if (await insertAccount(transaction, { id: chosen, name, createdAt: now, ...(cubes && { cubes }) })) {
        await recordAudit(transaction, {
          accountId: chosen,
          at: now,
          actor: operator,
          action: 'account.created',
          subject: name,
        })
        return findAccount(transaction, chosen)
      }
      if (id !== undefined) return undefined
    }
  })
}

/** Turns a name into lower-case letters, digits and dashes, which are safe in a URL, a file name and a shell. */
function slugOf(name: string): string {
  // NFKD separates letters from their accents.
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  return plain.slice(0, idCharactersMax).replaceAll(/^-+|-+$/g, '') || 'account'
}
