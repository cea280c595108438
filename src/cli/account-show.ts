import { accountShape } from '../http/console/shapes.ts'
import { countActiveKeys } from '../store/keys.ts'
import { countPeople } from '../store/people.ts'
import { demandAccount } from './demand-account.ts'
import { print } from './output.ts'
import { withStore, type StoreFlags } from './with-store.ts'

export const showAccountCommand = (flags: StoreFlags, id: string): Promise<number> =>
  withStore(flags, async (store) => {
    const account = await demandAccount(store, id)
    const shape = {
      ...accountShape(account),
      active_keys: await countActiveKeys(store, id, Date.now()),
      people: await countPeople(store, id),
    }
    const lines = Object.entries(shape).map(([name, value]) => {
      const shown = Array.isArray(value) ? value.join(', ') : (value ?? '-')
      return `${name.replaceAll('_', ' ').padEnd(14)}${shown}\n`
    })
    print(flags, shape, lines.join(''))
    return 0
  })
