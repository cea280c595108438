import { operator } from '../store/audit.ts'
import { activeKeysMax, createKey } from '../access/create-key.ts'
import { forms, hasForm } from '../access/forms.ts'
import { keyShape } from '../http/shapes.ts'
import { demandFlag, type Command } from './command.ts'
import { demandAccount } from './demand-account.ts'
import { print, tell } from './output.ts'
import { SettingsError } from './settings.ts'
import { storeOptions, withStore } from './with-store.ts'

export const createKeyCommand: Command = {
  usage: 'adcube key create --account ID --name NAME [--data-dir DIR] [--json]',
  options: { account: { type: 'string' }, name: { type: 'string' }, ...storeOptions },
  async run(flags) {
    const accountId = demandFlag(flags, 'account')
    const name = demandFlag(flags, 'name').trim()
    if (!hasForm(forms.name, name)) throw new SettingsError([`--name: ${forms.name.description}`])
    return withStore(flags, async (store) => {
      await demandAccount(store, accountId)
      const now = Date.now()
      const created = await createKey(store, { accountId, name, actor: operator, now })
      if ('refusal' in created) {
        throw new Error(`The account has ${activeKeysMax} active keys, as many as it may have; delete one first.`)
      }
      const { key } = created
      print(flags, { ...keyShape(created, now), key }, `${key}\n`)
      tell(flags, `This is the only time the key is shown. It expires on ${new Date(created.expiresAt).toISOString()}.`)
      return 0
    })
  },
}
