import { disableAccount, enableAccount } from '../access/change-account.ts'
import { accountShape } from '../http/shapes.ts'
import type { Command } from './command.ts'
import { demandAccount } from './demand-account.ts'
import { print, tell } from './output.ts'
import { storeOptions, withStore } from './with-store.ts'

const command = (
  word: string,
  { change, done }: { readonly change: typeof disableAccount; readonly done: string },
): Command => ({
  usage: `adcube account ${word} ID [--data-dir DIR] [--json]\n\nA server that runs knows of it within a second.`,
  options: storeOptions,
  operands: ['ID'],
  run: (flags, id = '') =>
    withStore(flags, async (store) => {
      await demandAccount(store, id)
      const account = await change(store, id, Date.now())
      print(flags, account && accountShape(account), `${id}\n`)
      tell(flags, done)
      return 0
    }),
})

export const disableAccountCommand = command('disable', {
  change: disableAccount,
  done: 'Disabled: no key and no password of the account is accepted until it is enabled again.',
})

export const enableAccountCommand = command('enable', {
  change: enableAccount,
  done: 'Enabled.',
})
