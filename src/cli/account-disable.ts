import { disableAccount, enableAccount } from '../access/change-account.ts'
import { accountShape } from '../http/console/shapes.ts'
import { demandAccount } from './demand-account.ts'
import { print, tell } from './output.ts'
import { withStore, type StoreFlags } from './with-store.ts'

const command =
  (change: typeof disableAccount, done: string) =>
  (flags: StoreFlags, id: string): Promise<number> =>
    withStore(flags, async (store) => {
      await demandAccount(store, id)
      const account = await change(store, id, Date.now())
      print(flags, account && accountShape(account), `${id}\n`)
      tell(flags, done)
      return 0
    })

export const disableAccountCommand = command(
  disableAccount,
  'Disabled: no key and no password of the account is accepted until it is enabled again.',
)

export const enableAccountCommand = command(enableAccount, 'Enabled.')
