import { normalizeEmail } from '../contract/forms.ts'
import type { Store } from '../store/open-store.ts'
import { findPersonByEmail, type Person } from '../store/people.ts'

export async function demandPerson(store: Store, email: string): Promise<Person> {
  const person = await findPersonByEmail(store, normalizeEmail(email.trim()))
  if (person) return person
  throw new Error(`Unknown e-mail address ${JSON.stringify(email)}. \`adcube user list\` lists all people.`)
}
