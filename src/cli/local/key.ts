import type { Command } from '@commander-js/extra-typings'
import { keyShape } from '../../http/console/shapes.ts'
import { command, examples, withDetails } from '../command.ts'
import { dataDir, json } from '../options.ts'
import { findAccountOrFail, openControlData } from '../control-data.ts'
import { note, print, table } from '../output.ts'
import { name } from '../parsers.ts'

const create = command('create', 'Create an API key and show it once')
  .requiredOption('--account <id>', 'Account of the key')
  .requiredOption('--name <name>', 'Name of the key', name)
  .addOption(dataDir)
  .addOption(json)
  .addHelpText('after', examples("adcube key create --account harbor-news --name 'Nightly report'"))
  .action(async ({ account: accountId, name, ...flags }) => {
    const [{ activeKeysMax, createKey }, { operator }] = await Promise.all([
      import('../../access/create-key.ts'),
      import('../../store/audit.ts'),
    ])
    await using store = await openControlData(flags)
    await findAccountOrFail(store, accountId)
    const now = Date.now()
    const created = await createKey(store, { accountId, name, actor: operator, now })
    if ('refusal' in created) {
      throw new Error(`The account already has ${activeKeysMax} active keys, the maximum. Delete one first.`)
    }
    print(flags, { ...keyShape(created, now), key: created.key }, `${created.key}\n`)
    note(flags, `The key is not shown again. It expires on ${new Date(created.expiresAt).toISOString()}.`)
  })

const list = command('list', 'List the API keys of an account')
  .requiredOption('--account <id>', 'The account')
  .addOption(dataDir)
  .addOption(json)
  .action(async ({ account, ...flags }) => {
    const { listKeys } = await import('../../store/keys.ts')
    await using store = await openControlData(flags)
    await findAccountOrFail(store, account)
    const shapes = (await listKeys(store, account)).map((key) => keyShape(key, Date.now()))
    print(flags, shapes, await table(shapes, 'The account has no keys.'))
  })

const remove = withDetails(command('delete', 'Delete an API key'), 'A running server rejects it within a second.')
  .argument('<id>', 'Id of the key, as `adcube key list` shows it')
  .addOption(dataDir)
  .addOption(json)
  .action(async (id, flags) => {
    const [{ deleteKey }, { describeKey }, { operator }] = await Promise.all([
      import('../../access/delete-key.ts'),
      import('../../access/describe-key.ts'),
      import('../../store/audit.ts'),
    ])
    await using store = await openControlData(flags)
    const deleted = await deleteKey(store, { id, actor: operator, now: Date.now() })
    if (!deleted) throw new Error('Unknown key. `adcube key list --account ID` lists the keys.')
    print(flags, { id, account: deleted.accountId }, `${id}\n`)
    note(flags, `Deleted ${describeKey(deleted)} of ${deleted.accountId}.`)
  })

export const define = (key: Command) => key.addCommand(create).addCommand(list).addCommand(remove)
