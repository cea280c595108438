import { operator } from '../store/audit.ts'
import { removePerson } from '../access/change-person.ts'
import { personShape } from '../http/shapes.ts'
import type { Command } from './command.ts'
import { demandPerson } from './demand-person.ts'
import { print, tell } from './output.ts'
import { storeOptions, withStore } from './with-store.ts'

export const removeUserCommand: Command = {
  usage: 'adcube user remove ADDRESS [--data-dir DIR] [--json]',
  options: storeOptions,
  operands: ['ADDRESS'],
  run: (flags, email = '') =>
    withStore(flags, async (store) => {
      const { id, accountId } = await demandPerson(store, email)
      const removed = await removePerson(store, { id, accountId, actor: operator, now: Date.now() })
      if ('refusal' in removed) {
        throw new Error(
          removed.refusal === 'last_administrator'
            ? 'This is the only Administrator of the account; make another first.'
            : 'This person has been removed already.',
        )
      }
      print(flags, personShape(removed), `${removed.email}\n`)
      tell(flags, `Removed from ${accountId}.`)
      return 0
    }),
}
