import type { Command } from '@commander-js/extra-typings'
import type { Account } from '../../store/accounts.ts'
import { command, examples, withDetails } from '../command.ts'
import { dataDir, json } from '../options.ts'
import { findAccountOrFail, openControlData, readTime } from '../control-data.ts'
import { note, print, printTable, type OutputFlags } from '../output.ts'
import { accountId, cubeList, name, parsed, whole } from '../parsers.ts'
import { readStorePlace, UsageError } from '../settings.ts'

/** A limit above 1,800 requests of each method a second protects no server, and is more likely a slip. */
const rateFactorMax = 100

const create = command('create', 'Create an account')
  .argument('<name>', 'Its name', name)
  .option('--id <id>', 'Id for files and commands; made from the name if omitted', accountId)
  .option('--cubes <cubes>', 'Cubes it can use, separated by commas; all if omitted', cubeList)
  .addOption(dataDir)
  .addOption(json)
  .addHelpText('after', examples("adcube account create 'Harbor News'"))
  .action(async (name, { id, cubes, ...flags }) => {
    const { createAccount } = await import('../../access/accounts.ts')
    const { openStore } = await import('../../store/open-store.ts')
    await using store = await openStore(readStorePlace(process.env, flags))
    const account = await createAccount(store, { name, id, cubes, now: await readTime(store) })
    if (!account) throw new Error(`The account ${id} already exists.`)
    const next = `Next: adcube user create --account ${account.id} --email ADDRESS`
    await printAccount(flags, account.id, account, next)
  })

const list = command('list', 'List the accounts')
  .addOption(dataDir)
  .addOption(json)
  .action(async (flags) => {
    const { listAccounts } = await import('../../store/accounts.ts')
    const { accountShape } = await import('../../http/console/shapes.ts')
    await using store = await openControlData(flags)
    const shapes = (await listAccounts(store)).map(accountShape)
    await printTable(flags, shapes, {
      columns: ['id', 'name', 'status', 'rate_factor', 'created_at'],
      none: 'There are no accounts yet. Create one with: adcube account create NAME',
    })
  })

const show = command('show', 'Show an account')
  .argument('<id>', 'Id of the account')
  .addOption(dataDir)
  .addOption(json)
  .action(async (id, flags) => {
    const { countActiveKeys } = await import('../../access/keys.ts')
    const { countPeople } = await import('../../access/memberships.ts')
    const { accountShape } = await import('../../http/console/shapes.ts')
    await using store = await openControlData(flags)
    const shape = {
      ...accountShape(await findAccountOrFail(store, id)),
      active_keys: await countActiveKeys(store, id, await readTime(store)),
      people: await countPeople(store, id),
    }
    const lines = Object.entries(shape).map(([name, value]) => {
      const shown = Array.isArray(value) ? value.join(', ') : (value ?? '-')
      return `${name.replaceAll('_', ' ').padEnd(14)}${shown}\n`
    })
    print(flags, shape, lines.join(''))
  })

const set = withDetails(
  command('set', 'Change the name, the cubes or the rate limits of an account'),
  'A running server applies the change at once.',
)
  .argument('<id>', 'Id of the account')
  .option('--name <name>', 'Its new name', name)
  .option('--cubes <cubes>', 'Cubes it can use, separated by commas', cubeList)
  .option(
    '--rate-factor <number>',
    `Multiplies its rate limits, 1 to ${rateFactorMax}`,
    parsed(whole(1, rateFactorMax)),
  )
  .addOption(dataDir)
  .addOption(json)
  .action(async (id, { dataDir, json, ...change }) => {
    if (Object.keys(change).length === 0) throw new UsageError('Specify --name, --cubes or --rate-factor.')
    const { changeAccount } = await import('../../access/accounts.ts')
    await using store = await openControlData({ dataDir })
    await findAccountOrFail(store, id)
    await printAccount({ json }, id, await changeAccount(store, id, change, await readTime(store)), 'Changed.')
  })

const changeStatus = (name: 'disable' | 'enable', summary: string, done: string) =>
  command(name, summary)
    .argument('<id>', 'Id of the account')
    .addOption(dataDir)
    .addOption(json)
    .action(async (id, flags) => {
      const { disableAccount, enableAccount } = await import('../../access/accounts.ts')
      await using store = await openControlData(flags)
      await findAccountOrFail(store, id)
      const change = name === 'disable' ? disableAccount : enableAccount
      await printAccount(flags, id, await change(store, id, await readTime(store)), done)
    })

const disable = withDetails(
  changeStatus(
    'disable',
    'Lock out all keys and people of an account, without deleting anything',
    'Disabled: no key works and nobody can open the account until it is enabled again.',
  ),
  'A running server applies the change at once.',
)

const enable = changeStatus('enable', 'Enable a disabled account', 'Enabled.')

async function printAccount(flags: OutputFlags, id: string, account: Account | undefined, text: string): Promise<void> {
  const { accountShape } = await import('../../http/console/shapes.ts')
  print(flags, account && accountShape(account), `${id}\n`)
  note(flags, text)
}

export const define = (account: Command) =>
  account.addCommand(create).addCommand(list).addCommand(show).addCommand(set).addCommand(disable).addCommand(enable)
