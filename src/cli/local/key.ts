import type { Command } from '@commander-js/extra-typings'
import { operator } from '../../store/audit.ts'
import { command, examples, withDetails } from '../command.ts'
import { dataDir, json } from '../options.ts'
import { findAccountOrFail, openControlData, readTime } from '../control-data.ts'
import { note, print, printTable } from '../output.ts'
import { name } from '../parsers.ts'

const create = command('create', 'Create an API key and show it once')
  .requiredOption('--account <id>', 'Account of the key')
  .requiredOption('--name <name>', 'Name of the key', name)
  .addOption(dataDir)
  .addOption(json)
  .addHelpText('after', examples("adcube key create --account harbor-news --name 'Nightly report'"))
  .action(async ({ account: accountId, name, ...flags }) => {
    const { activeKeysMax, createKey } = await import('../../access/keys.ts')
    const { keyShape } = await import('../../http/console/shapes.ts')
    await using store = await openControlData(flags)
    await findAccountOrFail(store, accountId)
    const now = await readTime(store)
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
    const { listKeys } = await import('../../access/keys.ts')
    const { keyShape } = await import('../../http/console/shapes.ts')
    await using store = await openControlData(flags)
    await findAccountOrFail(store, account)
    const now = await readTime(store)
    const shapes = (await listKeys(store, account)).map((key) => keyShape(key, now))
    await printTable(flags, shapes, { none: 'The account has no keys.' })
  })

const remove = withDetails(command('delete', 'Delete an API key'), 'A running server rejects it at once.')
  .argument('<id>', 'Id of the key, as `adcube key list` shows it')
  .addOption(dataDir)
  .addOption(json)
  .action(async (id, flags) => {
    const { deleteKey } = await import('../../access/keys.ts')
    const { describeKey } = await import('../../access/keys.ts')
    await using store = await openControlData(flags)
    const deleted = await deleteKey(store, { id, actor: operator, now: await readTime(store) })
    if (!deleted) throw new Error('Unknown key. `adcube key list --account ID` lists the keys.')
    print(flags, { id, account: deleted.accountId }, `${id}\n`)
    note(flags, `Deleted ${describeKey(deleted)} of ${deleted.accountId}.`)
  })

export const define = (key: Command) => key.addCommand(create).addCommand(list).addCommand(remove)
