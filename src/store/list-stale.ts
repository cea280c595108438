import { sql } from 'kysely'
import type { Cube } from '../catalog/cube.ts'
import { addDays, type Day } from '../query/day.ts'
import type { Store } from './open-store.ts'

/** Yesterday is loaded today, so the day before yesterday is there in any case. */
const staleDays = 2

/** Lists the enabled accounts whose last loaded day of a cube is older than two days, the oldest first. */
export const listStale = (store: Store, cube: Cube, today: Day) =>
  findStale(store, cube, today).select(['account', 'lastDay']).orderBy('lastDay').orderBy('account').execute()

export async function countStale(store: Store, cube: Cube, today: Day): Promise<number> {
  const { count } = await findStale(store, cube, today)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Leaves out accounts without any data of the cube. Reads one entry of an index for each account. */
const findStale = (store: Store, cube: Cube, today: Day) =>
  store
    .selectFrom((from) =>
      from
        .selectFrom('accounts')
        .select((outer) => [
          'id as account',
          outer
            .selectFrom('visibleLoads')
            .select(({ fn }) => fn.max<Day | null>('day').as('last'))
            .whereRef('accountId', '=', 'accounts.id')
            .where('cube', '=', cube.name)
            .as('lastDay'),
        ])
        .where('disabledAt', 'is', null)
        .where(sql`',' || cubes || ','`, 'like', `%,${cube.name},%`)
        .as('lasts'),
    )
    .where('lastDay', '<', addDays(today, -staleDays))
