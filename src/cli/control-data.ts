import { suggest } from '../query/faults.ts'
import type { Account } from '../store/accounts.ts'
import type { Store, StorePlace } from '../store/open-store.ts'
import { readStorePlace } from './settings.ts'

// These import the database when they are called, so that the help of a command does not wait for it.

/** Opens the control data, beside a server or without one. */
export async function openControlData(flags: { readonly dataDir?: string | undefined }): Promise<Store> {
  const place = readStorePlace(process.env, flags)
  await requireControlData(place)
  const { openStore } = await import('../store/open-store.ts')
  return openStore(place)
}

/** Throws if there is no control data, for commands that must not create it. */
export async function requireControlData(place: StorePlace): Promise<void> {
  const { hasStore } = await import('../store/open-store.ts')
  if (hasStore(place)) return
  throw new Error(`There is no Adcube data in the folder ${place.folder}. Specify another one with --data-dir.`)
}

/** Reads the time of all processes that share the control data. */
export async function readTime(store: Store): Promise<number> {
  const clock = await import('../store/clock.ts')
  return clock.readTime(store)
}

export async function findAccountOrFail(store: Store, id: string): Promise<Account> {
  const { findAccount, listAccounts } = await import('../store/accounts.ts')
  const account = await findAccount(store, id)
  if (account) return account
  const ids = (await listAccounts(store)).map((each) => each.id)
  throw new Error(`Unknown account ${JSON.stringify(id)}.${suggest(id, ids)}`)
}
