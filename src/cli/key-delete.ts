import { operator } from '../store/audit.ts'
import { deleteKey } from '../access/delete-key.ts'
import { describeKey } from '../access/describe-key.ts'
import type { Command } from './command.ts'
import { print, tell } from './output.ts'
import { storeOptions, withStore } from './with-store.ts'

export const deleteKeyCommand: Command = {
  usage: `adcube key delete ID [--data-dir DIR] [--json]

ID is what \`adcube key list\` shows. A server that runs refuses the key within a second.`,
  options: storeOptions,
  operands: ['ID'],
  run: (flags, id = '') =>
    withStore(flags, async (store) => {
      const deleted = await deleteKey(store, { id, actor: operator, now: Date.now() })
      if (!deleted) throw new Error('There is no key with this id; `adcube key list --account ID` shows them.')
      print(flags, { id, account: deleted.accountId }, `${id}\n`)
      tell(flags, `Deleted ${describeKey(deleted)} of ${deleted.accountId}.`)
      return 0
    }),
}
