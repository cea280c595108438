import { keyShape } from '../http/shapes.ts'
import { listKeys } from '../store/keys.ts'
import { demandFlag, type Command } from './command.ts'
import { demandAccount } from './demand-account.ts'
import { print, table } from './output.ts'
import { storeOptions, withStore } from './with-store.ts'

export const listKeysCommand: Command = {
  usage: 'adcube key list --account ID [--data-dir DIR] [--json]',
  options: { account: { type: 'string' }, ...storeOptions },
  run: async (flags) => {
    const accountId = demandFlag(flags, 'account')
    return withStore(flags, async (store) => {
      await demandAccount(store, accountId)
      const shapes = (await listKeys(store, accountId)).map((key) => keyShape(key, Date.now()))
      print(flags, shapes, table(shapes, 'The account has no keys.'))
      return 0
    })
  },
}
