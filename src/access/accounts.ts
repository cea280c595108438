import type { Insertable } from 'kysely'
import type { Cube } from '../catalog/cube.ts'
import {
  findAccount,
  insertAccount,
  lockAccounts,
  updateAccount,
  type Account,
  type AccountChange,
} from '../store/accounts.ts'
import { operator, recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import type { Tables } from '../store/tables.ts'

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
        const entry = { accountId: chosen, at: now, actor: operator, subject: name }
        await recordAudit(transaction, { ...entry, action: 'account.created' })
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

type Change = Omit<AccountChange, 'disabledAt'>

/** Changes the given properties of an account; returns undefined if there is no such account. */
export const changeAccount = (store: Store, id: string, change: Change, now: number): Promise<Account | undefined> => {
  const parts = [
    change.name !== undefined && `name ${change.name}`,
    change.cubes !== undefined && `cubes ${change.cubes.map(({ alias }) => alias).join(', ')}`,
    change.rateFactor !== undefined && `rate limits times ${change.rateFactor}`,
  ]
  const subject = parts.filter((part) => part !== false).join('; ')
  return apply(store, change, { accountId: id, at: now, action: 'account.changed', subject })
}

/** Refuses the keys and sessions of an account from the next request on; nothing is lost. */
export const disableAccount = (store: Store, id: string, now: number): Promise<Account | undefined> =>
  apply(store, { disabledAt: now }, { accountId: id, at: now, action: 'account.disabled', subject: id })

export const enableAccount = (store: Store, id: string, now: number): Promise<Account | undefined> =>
  apply(store, { disabledAt: null }, { accountId: id, at: now, action: 'account.enabled', subject: id })

const apply = (
  store: Store,
  change: AccountChange,
  entry: Omit<Insertable<Tables['audit']>, 'actor'>,
): Promise<Account | undefined> =>
  store.transaction().execute(async (transaction) => {
    const { accountId } = entry
    if (!(await lockAccounts(transaction, [accountId]))) return undefined
    await updateAccount(transaction, accountId, change)
    await recordAudit(transaction, { ...entry, actor: operator })
    return findAccount(transaction, accountId)
  })
