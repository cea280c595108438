import { createAccount } from '../access/create-account.ts'
import { isAccountId } from '../catalog/account-id.ts'
import { forms, hasForm } from '../access/forms.ts'
import { accountShape } from '../http/shapes.ts'
import type { Command } from './command.ts'
import { print, tell } from './output.ts'
import { readCubes } from './read-cubes.ts'
import { SettingsError } from './settings.ts'
import { storeOptions, withStore } from './with-store.ts'

export const createAccountCommand: Command = {
  usage: `adcube account create NAME [--id ID] [--cubes CUBE,CUBE] [--data-dir DIR] [--json]

  --id      What files and commands call it; made from the name when left out
  --cubes   The cubes it may use; all when left out`,
  options: { id: { type: 'string' }, cubes: { type: 'string' }, ...storeOptions },
  operands: ['NAME'],
  async run(flags, text = '') {
    const name = text.trim()
    if (!hasForm(forms.name, name)) throw new SettingsError([`NAME: ${forms.name.description}`])
    const id = typeof flags.id === 'string' ? flags.id : undefined
    if (id !== undefined && !isAccountId(id)) {
      throw new SettingsError(['--id: 1 to 63 lower-case letters, digits and dashes, none of them at the ends.'])
    }
    const cubes = readCubes(flags.cubes)
    const create = async (store: Parameters<typeof createAccount>[0]): Promise<number> => {
      const account = await createAccount(store, { name, id, cubes, now: Date.now() })
      if (!account) throw new Error(`There is an account ${id} already.`)
      print(flags, accountShape(account), `${account.id}\n`)
      tell(flags, `Next: adcube user create --account ${account.id} --email ADDRESS`)
      return 0
    }
    return withStore(flags, create, { mayCreate: true })
  },
}
