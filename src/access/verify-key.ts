import { findAccount, type Account } from '../store/accounts.ts'
import { findKeyByHash } from '../store/keys.ts'
import type { Store } from '../store/open-store.ts'
import { hashKey, isKeyWellFormed } from './key-form.ts'

export type Verdict = { readonly account: Account } | { readonly refusal: 'missing' | 'invalid' | 'expired' }

/** Decides whose key this is. Unknown, deleted and misspelt keys look alike: strangers learn nothing of what existed. */
export async function verifyKey(store: Store, key: string | undefined, now: number): Promise<Verdict> {
  if (key === undefined || key === '') return { refusal: 'missing' }
  if (!isKeyWellFormed(key)) return { refusal: 'invalid' }
  // The look-up is by the hash of the secret, so its timing says nothing about the secret.
  const stored = await findKeyByHash(store, hashKey(key))
  if (!stored) return { refusal: 'invalid' }
  if (now >= stored.expiresAt) return { refusal: 'expired' }
  const account = await findAccount(store, stored.accountId)
  return account ? { account } : { refusal: 'invalid' }
}
