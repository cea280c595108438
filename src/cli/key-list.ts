import { keyShape } from '../http/console/shapes.ts'
import { listKeys } from '../store/keys.ts'
import { demandAccount } from './demand-account.ts'
import { print, table } from './output.ts'
import { withStore, type StoreFlags } from './with-store.ts'

type Flags = StoreFlags & { readonly account: string }

export const listKeysCommand = (flags: Flags): Promise<number> =>
  withStore(flags, async (store) => {
    await demandAccount(store, flags.account)
    const shapes = (await listKeys(store, flags.account)).map((key) => keyShape(key, Date.now()))
    print(flags, shapes, table(shapes, 'The account has no keys.'))
    return 0
  })
