import { findCube } from '../../catalog/cubes.ts'
import { countDays } from '../../query/day.ts'
import { print, table } from '../output.ts'
import { withClient, type ServerFlags } from './with-client.ts'

export const rangesCommand = (flags: ServerFlags): Promise<number> =>
  withClient(flags, async (adcube, signal) => {
    const ranges = await adcube.ranges({ signal })
    const rows = ranges.map(({ cube, start, end }) => ({
      cube: findCube(cube)?.alias ?? cube,
      first_day: start,
      last_day: end,
      days: start !== null && end !== null ? countDays(start, end) : 0,
    }))
    print(flags, ranges, table(rows, 'The account has access to no cube.'))
    return 0
  })
