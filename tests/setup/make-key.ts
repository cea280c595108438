import { operator } from '../../src/store/audit.ts'
import { createKey } from '../../src/access/keys.ts'
import type { Store } from '../../src/store/open-store.ts'

/** Creates a key for an account. */
export async function makeKey(store: Store, accountId: string, now: number): Promise<string> {
  const created = await createKey(store, { accountId, name: 'test', actor: operator, now })
  if ('refusal' in created) throw new Error(created.refusal)
  return created.key
}
