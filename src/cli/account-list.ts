import { accountShape } from '../http/console/shapes.ts'
import { listAccounts } from '../store/accounts.ts'
import { print, table } from './output.ts'
import { withStore, type StoreFlags } from './with-store.ts'

export const listAccountsCommand = (flags: StoreFlags): Promise<number> =>
  withStore(flags, async (store) => {
    const shapes = (await listAccounts(store)).map(accountShape)
    const rows = shapes.map(({ id, name, status, rate_factor, created_at }) => ({
      id,
      name,
      status,
      rate_factor,
      created_at,
    }))
    print(flags, shapes, table(rows, 'There are no accounts yet. Create one with: adcube account create NAME'))
    return 0
  })
