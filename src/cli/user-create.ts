import { operator } from '../store/audit.ts'
import { createPerson, peopleMax } from '../access/create-person.ts'
import { forms, hasForm, normalizeEmail } from '../access/forms.ts'
import { personShape } from '../http/shapes.ts'
import { demandFlag, type Command } from './command.ts'
import { demandAccount } from './demand-account.ts'
import { print, tell } from './output.ts'
import { passwordOptions, passwordUsage, readPassword } from './read-password.ts'
import { SettingsError } from './settings.ts'
import { storeOptions, withStore } from './with-store.ts'

const refusals = {
  no_account: 'There is no such account.',
  email_taken: 'Somebody with this address has a sign-in or an invitation already.',
  too_many_people: `An account has at most ${peopleMax} people.`,
}

export const createUserCommand: Command = {
  usage: `adcube user create --account ID --email ADDRESS [--role ROLE] [--password-stdin] [--data-dir DIR] [--json]

  --role             administrator (when left out) or member
${passwordUsage}`,
  options: {
    account: { type: 'string' },
    email: { type: 'string' },
    role: { type: 'string' },
    ...passwordOptions,
    ...storeOptions,
  },
  async run(flags) {
    const accountId = demandFlag(flags, 'account')
    const email = normalizeEmail(demandFlag(flags, 'email').trim())
    const role = flags.role ?? 'administrator'
    if (!hasForm(forms.email, email)) throw new SettingsError([`--email: ${forms.email.description}`])
    if (role !== 'administrator' && role !== 'member') throw new SettingsError(['--role: administrator or member.'])
    const { password, isMade } = await readPassword(flags)
    return withStore(flags, async (store) => {
      await demandAccount(store, accountId)
      const person = await createPerson(store, { accountId, email, role, password, actor: operator, now: Date.now() })
      if ('refusal' in person) throw new Error(refusals[person.refusal])
      print(flags, { ...personShape(person), ...(isMade && { password }) }, isMade ? `${password}\n` : '')
      tell(flags, `${email} can sign in${isMade ? ' with this password, which is not shown again' : ''}.`)
      return 0
    })
  },
}
