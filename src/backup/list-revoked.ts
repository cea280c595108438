import type { Tables } from '../store/tables.ts'
import type { Store } from '../store/open-store.ts'
import { findSecret } from '../store/secrets.ts'
import { openCopyOfStore } from './copy-of-store.ts'

/** Actions that take rights away, which a restore of an earlier state gives back. */
const revoking: readonly Tables['audit']['action'][] = [
  'account.changed',
  'account.disabled',
  'key.deleted',
  'person.role_changed',
  'person.password_changed',
  'person.removed',
]

/** Lists the rights that newer control data of the same installation have taken away since the restored ones were copied. */
export async function listRevoked(restored: Store, newerFolder: string, workFolder: string) {
  await using newer = await openCopyOfStore(newerFolder, workFolder)
  const owners = await Promise.all([restored, newer.store].map((store) => findSecret(store, 'engine-owner')))
  if (!owners[0]?.equals(owners[1] ?? Buffer.alloc(0))) {
    throw new Error(`The control data in ${newerFolder} are not of the same installation as the backup.`)
  }
  const { last } = await restored
    .selectFrom('audit')
    .select(({ fn }) => fn.max<number | null>('id').as('last'))
    .executeTakeFirstOrThrow()
  return await newer.store
    .selectFrom('audit')
    .select(['at', 'accountId', 'action', 'subject', 'actor'])
    .where('id', '>', last ?? 0)
    .where('action', 'in', revoking)
    .orderBy('id')
    .execute()
}
