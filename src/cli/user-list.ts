import { personShape } from '../http/shapes.ts'
import { listPeople } from '../store/people.ts'
import type { Command } from './command.ts'
import { demandAccount } from './demand-account.ts'
import { print, table } from './output.ts'
import { storeOptions, withStore } from './with-store.ts'

export const listUsersCommand: Command = {
  usage: 'adcube user list [--account ID] [--data-dir DIR] [--json]',
  options: { account: { type: 'string' }, ...storeOptions },
  run: (flags) =>
    withStore(flags, async (store) => {
      const accountId = typeof flags.account === 'string' ? flags.account : undefined
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
      print(flags, shapes, table(rows, 'There is nobody yet. Make a sign-in with: adcube user create'))
      return 0
    }),
}
