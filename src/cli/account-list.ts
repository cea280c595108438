import { accountShape } from '../http/shapes.ts'
import { listAccounts } from '../store/accounts.ts'
import type { Command } from './command.ts'
import { print, table } from './output.ts'
import { storeOptions, withStore } from './with-store.ts'

export const listAccountsCommand: Command = {
  usage: 'adcube account list [--data-dir DIR] [--json]',
  options: storeOptions,
  run: (flags) =>
    withStore(flags, async (store) => {
      const shapes = (await listAccounts(store)).map(accountShape)
      const rows = shapes.map(({ id, name, status, rate_factor, created_at }) => ({
        id,
        name,
        status,
        rate_factor,
        created_at,
      }))
      print(flags, shapes, table(rows, 'There are no accounts yet. Make one with: adcube account create NAME'))
      return 0
    }),
}
