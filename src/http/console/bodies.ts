import { Type } from 'typebox'
import { forms, passwordCharactersMax, passwordCharactersMin } from '../../contract/forms.ts'

/** A body without other fields. */
const exactly = <Fields extends Parameters<typeof Type.Object>[0]>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false, description: 'A JSON object.' })

const name = Type.String(forms.name)
const email = Type.String(forms.email)
const role = Type.Enum(['administrator', 'member'], { description: 'administrator or member.' })
const token = Type.String({ minLength: 1, maxLength: 100, description: 'The token of the invitation.' })
/** An existing password may be older than the present minimum. */
const password = Type.String({ maxLength: passwordCharactersMax, description: 'A password.' })
const newPassword = Type.String({
  minLength: passwordCharactersMin,
  maxLength: passwordCharactersMax,
  description: `A password of ${passwordCharactersMin} to ${passwordCharactersMax} characters.`,
})

/** Browsers escape all other characters. */
const search = Type.String({
  pattern: '^[!-~]{0,4000}$',
  description: 'The query part of an address: at most 4,000 ASCII characters without spaces.',
})
export const bodies = {
  signIn: exactly({ email, password }),
  changePassword: exactly({ current_password: password, new_password: newPassword }),
  /** Also for an existing password, so that the answer does not tell the two apart. Without one, the session counts. */
  acceptInvitation: exactly({ token, password: Type.Optional(newPassword) }),
  createKey: exactly({ name }),
  invitePerson: exactly({ email, role }),
  changeRole: exactly({ role }),
  view: exactly({ name: Type.String(forms.viewName), search }),
}
