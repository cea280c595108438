import { text } from 'node:stream/consumers'
import { Option, type Command } from '@commander-js/extra-typings'
import { normalizeEmail, passwordCharactersMax, passwordCharactersMin } from '../../contract/forms.ts'
import type { Store } from '../../store/open-store.ts'
import type { Membership } from '../../access/memberships.ts'
import { operator } from '../../store/audit.ts'
import { command, examples } from '../command.ts'
import { dataDir, json } from '../options.ts'
import { findAccountOrFail, openControlData, readTime } from '../control-data.ts'
import { note, print, printTable } from '../output.ts'
import { email } from '../parsers.ts'
import { UsageError } from '../settings.ts'

const passwordStdin = new Option(
  '--password-stdin',
  `Read the password from standard input (${passwordCharactersMin} to ${passwordCharactersMax} characters); ` +
    'if omitted, a password is generated and shown',
)

const create = command('create', 'Create a sign-in for a person')
  .requiredOption('--account <id>', 'Account of the person')
  .requiredOption('--email <address>', 'E-mail address of the person', email)
  .addOption(
    new Option('--role <role>', 'Role of the person')
      .choices(['administrator', 'member'] as const)
      .default('administrator' as const),
  )
  .addOption(passwordStdin)
  .addOption(
    new Option(
      '--keep-password',
      'The person has a password for another account, and has confirmed that they chose it',
    ).conflicts('passwordStdin'),
  )
  .addOption(dataDir)
  .addOption(json)
  .addHelpText('after', examples('adcube user create --account harbor-news --email you@example.com'))
  .action(async ({ account: accountId, email, role, passwordStdin, keepPassword = false, ...flags }) => {
    const { createPerson, peopleMax } = await import('../../access/people.ts')
    const { password, isGenerated } = await readPassword(passwordStdin)
    const { personShape } = await import('../../http/console/shapes.ts')
    await using store = await openControlData(flags)
    await findAccountOrFail(store, accountId)
    const person = await createPerson(store, {
      accountId,
      email,
      role,
      password: keepPassword ? undefined : password,
      actor: operator,
      now: await readTime(store),
    })
    if ('refusal' in person) {
      const refusals = {
        no_account: 'There is no such account.',
        email_taken: 'Someone with this address is already in the account, or invited.',
        too_many_people: `An account has at most ${peopleMax} people.`,
        has_password:
          `${email} has a password, which an Administrator of another account may have chosen. Invite the person in the ` +
          'console, or use --keep-password if they confirm that they chose it.',
        no_password: `${email} has no password yet. Leave out --keep-password.`,
      }
      throw new Error(refusals[person.refusal])
    }
    const isNew = isGenerated && !keepPassword
    print(flags, { ...personShape(person), ...(isNew && { password }) }, isNew ? `${password}\n` : '')
    if (keepPassword) note(flags, `${email} can sign in with the password of their other accounts.`)
    else note(flags, `${email} can sign in${isNew ? ' with this password, which is not shown again' : ''}.`)
  })

const setPassword = command('password', 'Change the password of a person, and end their sessions')
  .argument('<address>', 'E-mail address of the person')
  .addOption(passwordStdin)
  .addOption(dataDir)
  .addOption(json)
  .action(async (address, { passwordStdin, ...flags }) => {
    const { resetPassword } = await import('../../access/change-password.ts')
    const { findMembership } = await import('../../access/memberships.ts')
    const { password, isGenerated } = await readPassword(passwordStdin)
    const { personShape } = await import('../../http/console/shapes.ts')
    await using store = await openControlData(flags)
    const [person] = await findMembershipsOrFail(store, address)
    const isDone = await resetPassword(store, { person, password, actor: operator, now: await readTime(store) })
    const changed = isDone ? await findMembership(store, person.id) : undefined
    if (!changed) throw new Error('This person has just been removed.')
    const shape = { ...personShape(changed), ...(isGenerated && { password }) }
    print(flags, shape, isGenerated ? `${password}\n` : '')
    const shown = isGenerated ? '; the new one is not shown again' : ''
    note(flags, `Changed${shown}. All sessions of ${person.email} have ended.`)
  })

const list = command('list', 'List the people of an account, or of all')
  .option('--account <id>', 'Only this account')
  .addOption(dataDir)
  .addOption(json)
  .action(async ({ account: accountId, ...flags }) => {
    const { listPeople } = await import('../../access/memberships.ts')
    const { personShape } = await import('../../http/console/shapes.ts')
    await using store = await openControlData(flags)
    if (accountId !== undefined) await findAccountOrFail(store, accountId)
    const people = await listPeople(store, { accountId })
    const shapes = people.map((person) => ({ ...personShape(person), account: person.accountId }))
    await printTable(flags, shapes, {
      columns: ['email', 'account', 'role', 'status', 'last_signed_in_at'],
      none: 'There are no people yet. Create a sign-in with: adcube user create',
    })
  })

const remove = command('remove', 'Remove a person from an account')
  .argument('<address>', 'E-mail address of the person')
  .option('--account <id>', 'Account; needed if the person has several')
  .addOption(dataDir)
  .addOption(json)
  .action(async (address, { account, ...flags }) => {
    const { removePerson } = await import('../../access/people.ts')
    const { personShape } = await import('../../http/console/shapes.ts')
    await using store = await openControlData(flags)
    const { id, accountId } = chooseMembership(await findMembershipsOrFail(store, address), account)
    const removed = await removePerson(store, { id, accountId, actor: operator, now: await readTime(store) })
    if ('refusal' in removed) {
      throw new Error(
        removed.refusal === 'last_administrator'
          ? 'This is the only Administrator of the account; make another first.'
          : 'This person was already removed.',
      )
    }
    print(flags, personShape(removed), `${removed.email}\n`)
    note(flags, `Removed from ${accountId}.`)
  })

async function readPassword(isPiped = false): Promise<{ readonly password: string; readonly isGenerated: boolean }> {
  if (!isPiped) {
    const { generatePassword } = await import('../../access/password.ts')
    return { password: generatePassword(), isGenerated: true }
  }
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  if (password.length < passwordCharactersMin || password.length > passwordCharactersMax) {
    throw new UsageError(`A password has ${passwordCharactersMin} to ${passwordCharactersMax} characters.`)
  }
  return { password, isGenerated: false }
}

async function findMembershipsOrFail(store: Store, address: string): Promise<readonly [Membership, ...Membership[]]> {
  const { findMembershipsOf } = await import('../../access/memberships.ts')
  const [first, ...others] = await findMembershipsOf(store, normalizeEmail(address.trim()))
  if (first) return [first, ...others]
  throw new Error(`Unknown e-mail address ${JSON.stringify(address)}. \`adcube user list\` lists all people.`)
}

/** Finds the membership in an account, which can be omitted if there is only one. */
function chooseMembership(memberships: readonly [Membership, ...Membership[]], accountId?: string): Membership {
  const [first] = memberships
  const accounts = memberships.map((each) => each.accountId).join(', ')
  if (accountId === undefined && memberships.length > 1) {
    throw new UsageError(`${first.email} belongs to ${accounts}: specify --account.`)
  }
  const chosen = memberships.find((each) => each.accountId === (accountId ?? first.accountId))
  if (chosen) return chosen
  throw new Error(`${first.email} does not belong to ${JSON.stringify(accountId)}, but to ${accounts}.`)
}

export const define = (user: Command) =>
  user.addCommand(create).addCommand(setPassword).addCommand(list).addCommand(remove)
