import { findAccount, lockAccounts, updateAccount, type Account, type AccountChange } from '../store/accounts.ts'
import { operator, recordAudit } from '../store/audit.ts'
import type { Store } from '../store/open-store.ts'
import type { AuditAction } from '../contract/console.ts'

type Change = Omit<AccountChange, 'disabledAt'>

/** Changes the given properties of an account; returns undefined if there is no such account. */
export const changeAccount = (store: Store, id: string, change: Change, now: number): Promise<Account | undefined> => {
  const parts = [
    change.name !== undefined && `name ${change.name}`,
    change.cubes !== undefined && `cubes ${change.cubes.map(({ alias }) => alias).join(', ')}`,
    change.rateFactor !== undefined && `rate limits times ${change.rateFactor}`,
  ]
  const subject = parts.filter((part) => part !== false).join('; ')
  return apply(store, { id, change, action: 'account.changed', subject, now })
}

/** Refuses the keys and sessions of an account from the next request on; nothing is lost. */
export const disableAccount = (store: Store, id: string, now: number): Promise<Account | undefined> =>
  apply(store, { id, change: { disabledAt: now }, action: 'account.disabled', subject: id, now })

export const enableAccount = (store: Store, id: string, now: number): Promise<Account | undefined> =>
  apply(store, { id, change: { disabledAt: null }, action: 'account.enabled', subject: id, now })

function apply(
  store: Store,
  entry: {
    readonly id: string
    readonly change: AccountChange
    readonly action: AuditAction
    readonly subject: string
    readonly now: number
  },
): Promise<Account | undefined> {
  const { id, change, action, subject, now } = entry
  return store.transaction().execute(async (transaction) => {
    if (!(await lockAccounts(transaction, [id]))) return undefined
    await updateAccount(transaction, id, change)
    await recordAudit(transaction, { accountId: id, at: now, actor: operator, action, subject })
    return findAccount(transaction, id)
  })
}
