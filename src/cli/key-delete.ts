import { operator } from '../store/audit.ts'
import { deleteKey } from '../access/delete-key.ts'
import { describeKey } from '../access/describe-key.ts'
import { print, tell } from './output.ts'
import { withStore, type StoreFlags } from './with-store.ts'

export const deleteKeyCommand = (flags: StoreFlags, id: string): Promise<number> =>
  withStore(flags, async (store) => {
    const deleted = await deleteKey(store, { id, actor: operator, now: Date.now() })
    if (!deleted) throw new Error('Unknown key. `adcube key list --account ID` lists the keys.')
    print(flags, { id, account: deleted.accountId }, `${id}\n`)
    tell(flags, `Deleted ${describeKey(deleted)} of ${deleted.accountId}.`)
    return 0
  })
