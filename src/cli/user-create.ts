import { operator } from '../store/audit.ts'
import { createPerson, peopleMax } from '../access/create-person.ts'
import { personShape } from '../http/console/shapes.ts'
import { demandAccount } from './demand-account.ts'
import { print, tell } from './output.ts'
import { readPassword, type PasswordFlags } from './read-password.ts'
import { withStore } from './with-store.ts'

const refusals = {
  no_account: 'There is no such account.',
  email_taken: 'Someone with this address already has a sign-in or an invitation.',
  too_many_people: `An account has at most ${peopleMax} people.`,
}

type Flags = PasswordFlags & {
  readonly account: string
  readonly email: string
  readonly role: 'administrator' | 'member'
}

export async function createUserCommand(flags: Flags): Promise<number> {
  const { account: accountId, email, role } = flags
  const { password, isMade } = await readPassword(flags)
  return withStore(flags, async (store) => {
    await demandAccount(store, accountId)
    const person = await createPerson(store, { accountId, email, role, password, actor: operator, now: Date.now() })
    if ('refusal' in person) throw new Error(refusals[person.refusal])
    print(flags, { ...personShape(person), ...(isMade && { password }) }, isMade ? `${password}\n` : '')
    tell(flags, `${email} can sign in${isMade ? ' with this password, which is not shown again' : ''}.`)
    return 0
  })
}
