import { operator } from '../store/audit.ts'
import { removePerson } from '../access/change-person.ts'
import { personShape } from '../http/console/shapes.ts'
import { demandPerson } from './demand-person.ts'
import { print, tell } from './output.ts'
import { withStore, type StoreFlags } from './with-store.ts'

export const removeUserCommand = (flags: StoreFlags, email: string): Promise<number> =>
  withStore(flags, async (store) => {
    const { id, accountId } = await demandPerson(store, email)
    const removed = await removePerson(store, { id, accountId, actor: operator, now: Date.now() })
    if ('refusal' in removed) {
      throw new Error(
        removed.refusal === 'last_administrator'
          ? 'This is the only Administrator of the account; make another first.'
          : 'This person was already removed.',
      )
    }
    print(flags, personShape(removed), `${removed.email}\n`)
    tell(flags, `Removed from ${accountId}.`)
    return 0
  })
