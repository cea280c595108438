import type { Cube } from '../catalog/cube.ts'
import { addDays, type Day } from '../query/day.ts'
import { cubesOf } from './accounts.ts'
import type { Store } from './open-store.ts'

/** Yesterday is loaded today, so the day before yesterday is there in any case. */
const staleDays = 2

/**
 * Lists the enabled accounts whose last loaded day of a cube is older than two days, the oldest first. Accounts without any
 * data of the cube are left out. Reads one entry of an index for each account.
 */
export async function listStale(store: Store, cube: Cube, today: Day) {
  const found = await store
    .selectFrom((from) =>
      from
        .selectFrom('accounts')
        .select((outer) => [
          'id',
          'cubes',
          outer
            .selectFrom('visibleLoads')
            .select(({ fn }) => fn.max<Day | null>('day').as('last'))
            .whereRef('accountId', '=', 'accounts.id')
            .where('cube', '=', cube.name)
            .as('lastDay'),
        ])
        .where('disabledAt', 'is', null)
        .as('lasts'),
    )
    .selectAll()
    .where('lastDay', '<', addDays(today, -staleDays))
    .orderBy('lastDay')
    .orderBy('id')
    .execute()
  return found.filter((account) => cubesOf(account).includes(cube)).map(({ id, lastDay }) => ({ account: id, lastDay }))
}
