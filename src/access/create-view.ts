import { randomUUID } from 'node:crypto'
import { lockAccounts } from '../store/accounts.ts'
import type { Store } from '../store/open-store.ts'
import { findPerson, type Person } from '../store/people.ts'
import { countViews, insertView, type View } from '../store/views.ts'

/** As many as a menu can show. */
export const viewsMax = 50

/** Saves a view for a person. */
export async function createView(
  store: Store,
  { person, name, search, now }: Pick<View, 'name' | 'search'> & { readonly person: Person; readonly now: number },
): Promise<View | { readonly refusal: 'no_person' | 'too_many_views' }> {
  const view: View = {
    id: `vie_${randomUUID().replaceAll('-', '')}`,
    personId: person.id,
    name,
    search,
    createdAt: now,
  }
  return store.transaction().execute(async (transaction) => {
    // Two at once could both find the last free place; and whoever removes the person waits here, too.
    await lockAccounts(transaction, [person.accountId])
    if (!(await findPerson(transaction, person.id))) return { refusal: 'no_person' }
    if ((await countViews(transaction, person.id)) >= viewsMax) return { refusal: 'too_many_views' }
    await insertView(transaction, view)
    return view
  })
}
