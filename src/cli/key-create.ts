import { operator } from '../store/audit.ts'
import { activeKeysMax, createKey } from '../access/create-key.ts'
import { keyShape } from '../http/console/shapes.ts'
import { demandAccount } from './demand-account.ts'
import { print, tell } from './output.ts'
import { withStore, type StoreFlags } from './with-store.ts'

type Flags = StoreFlags & { readonly account: string; readonly name: string }

export const createKeyCommand = (flags: Flags): Promise<number> =>
  withStore(flags, async (store) => {
    const { account: accountId, name } = flags
    await demandAccount(store, accountId)
    const now = Date.now()
    const created = await createKey(store, { accountId, name, actor: operator, now })
    if ('refusal' in created) {
      throw new Error(`The account already has ${activeKeysMax} active keys, the maximum. Delete one first.`)
    }
    const { key } = created
    print(flags, { ...keyShape(created, now), key }, `${key}\n`)
    tell(flags, `The key is not shown again. It expires on ${new Date(created.expiresAt).toISOString()}.`)
    return 0
  })
