import { findAccount, listAccounts, type Account } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'
import { suggest } from '../query/faults.ts'

export async function demandAccount(store: Store, id: string): Promise<Account> {
  const account = await findAccount(store, id)
  if (account) return account
  const ids = (await listAccounts(store)).map((each) => each.id)
  throw new Error(`Unknown account ${JSON.stringify(id)}.${suggest(id, ids)}`)
}
