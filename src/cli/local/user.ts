import { text } from 'node:stream/consumers'
import { Option, type Command } from '@commander-js/extra-typings'
import { normalizeEmail, passwordCharactersMax, passwordCharactersMin } from '../../contract/forms.ts'
import type { Store } from '../../store/open-store.ts'
import type { Person } from '../../access/people.ts'
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
  .addOption(dataDir)
  .addOption(json)
  .addHelpText('after', examples('adcube user create --account harbor-news --email you@example.com'))
  .action(async ({ account: accountId, email, role, passwordStdin, ...flags }) => {
    const { createPerson, peopleMax } = await import('../../access/people.ts')
    const { password, isGenerated } = await readPassword(passwordStdin)
    const { personShape } = await import('../../http/console/shapes.ts')
    await using store = await openControlData(flags)
    await findAccountOrFail(store, accountId)
    const person = await createPerson(store, {
      accountId,
      email,
      role,
      password,
      actor: operator,
      now: await readTime(store),
    })
    if ('refusal' in person) {
      const refusals = {
        no_account: 'There is no such account.',
        email_taken: 'Someone with this address already has a sign-in or an invitation.',
        too_many_people: `An account has at most ${peopleMax} people.`,
      }
      throw new Error(refusals[person.refusal])
    }
    print(flags, { ...personShape(person), ...(isGenerated && { password }) }, isGenerated ? `${password}\n` : '')
    note(flags, `${email} can sign in${isGenerated ? ' with this password, which is not shown again' : ''}.`)
  })

const setPassword = command('password', 'Change the password of a person, and end their sessions')
  .argument('<address>', 'E-mail address of the person')
  .addOption(passwordStdin)
  .addOption(dataDir)
  .addOption(json)
  .action(async (address, { passwordStdin, ...flags }) => {
    const { resetPassword } = await import('../../access/change-password.ts')
    const { password, isGenerated } = await readPassword(passwordStdin)
    const { personShape } = await import('../../http/console/shapes.ts')
    await using store = await openControlData(flags)
    const person = await findPersonOrFail(store, address)
    if (!(await resetPassword(store, { person, password, actor: operator, now: await readTime(store) }))) {
      throw new Error('This person has just been removed.')
    }
    const shape = { ...personShape({ ...person, invitationExpiresAt: null }), ...(isGenerated && { password }) }
    print(flags, shape, isGenerated ? `${password}\n` : '')
    const shown = isGenerated ? '; the new one is not shown again' : ''
    note(flags, `Changed${shown}. All sessions of ${person.email} have ended.`)
  })

const list = command('list', 'List the people of an account, or of all')
  .option('--account <id>', 'Only this account')
  .addOption(dataDir)
  .addOption(json)
  .action(async ({ account: accountId, ...flags }) => {
    const { listPeople } = await import('../../access/people.ts')
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

const remove = command('remove', 'Remove a person, and end their sessions')
  .argument('<address>', 'E-mail address of the person')
  .addOption(dataDir)
  .addOption(json)
  .action(async (address, flags) => {
    const { removePerson } = await import('../../access/people.ts')
    const { personShape } = await import('../../http/console/shapes.ts')
    await using store = await openControlData(flags)
    const { id, accountId } = await findPersonOrFail(store, address)
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

async function findPersonOrFail(store: Store, address: string): Promise<Person> {
  const { findPersonByEmail } = await import('../../access/people.ts')
  const person = await findPersonByEmail(store, normalizeEmail(address.trim()))
  if (person) return person
  throw new Error(`Unknown e-mail address ${JSON.stringify(address)}. \`adcube user list\` lists all people.`)
}

export const define = (user: Command) =>
  user.addCommand(create).addCommand(setPassword).addCommand(list).addCommand(remove)
