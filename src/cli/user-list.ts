import { personShape } from '../http/console/shapes.ts'
import { listPeople } from '../store/people.ts'
import { demandAccount } from './demand-account.ts'
import { print, table } from './output.ts'
import { withStore, type StoreFlags } from './with-store.ts'

type Flags = StoreFlags & { readonly account?: string }

export const listUsersCommand = (flags: Flags): Promise<number> =>
  withStore(flags, async (store) => {
    const accountId = flags.account
    if (accountId !== undefined) await demandAccount(store, accountId)
    const people = await listPeople(store, { accountId })
    const shapes = people.map((person) => ({ ...personShape(person), account: person.accountId }))
    const rows = shapes.map(({ email, account, role, status, last_signed_in_at }) => ({
      email,
      account,
      role,
      status,
      last_signed_in_at,
    }))
    print(flags, shapes, table(rows, 'There are no people yet. Create a sign-in with: adcube user create'))
    return 0
  })
