import { operator } from '../store/audit.ts'
import { resetPassword } from '../access/change-password.ts'
import { personShape } from '../http/console/shapes.ts'
import { demandPerson } from './demand-person.ts'
import { print, tell } from './output.ts'
import { readPassword, type PasswordFlags } from './read-password.ts'
import { withStore } from './with-store.ts'

export async function setPasswordCommand(flags: PasswordFlags, email: string): Promise<number> {
  const { password, isMade } = await readPassword(flags)
  return withStore(flags, async (store) => {
    const person = await demandPerson(store, email)
    if (!(await resetPassword(store, { person, password, actor: operator, now: Date.now() }))) {
      throw new Error('This person has just been removed.')
    }
    const shape = { ...personShape({ ...person, invitationExpiresAt: null }), ...(isMade && { password }) }
    print(flags, shape, isMade ? `${password}\n` : '')
    tell(
      flags,
      `Changed${isMade ? '; the new one is not shown again' : ''}. All sessions of ${person.email} have ended.`,
    )
    return 0
  })
}
