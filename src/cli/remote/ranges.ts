import type { Command } from '@commander-js/extra-typings'
import { findCube } from '../../catalog/cubes.ts'
import { countDays } from '../../query/day.ts'
import { json } from '../options.ts'
import { printTable } from '../output.ts'
import { openClient } from './open-client.ts'
import { baseUrl } from './options.ts'

export const define = (command: Command) =>
  command
    .addOption(baseUrl)
    .addOption(json)
    .action(async (flags) => {
      const { adcube, signal } = await openClient(flags)
      const ranges = await adcube.ranges({ signal })
      const rows = ranges.map(({ cube, start, end }) => ({
        cube: findCube(cube)?.alias ?? cube,
        first_day: start,
        last_day: end,
        days: start !== null && end !== null ? countDays(start, end) : 0,
      }))
      await printTable(flags, rows, { data: ranges, none: 'The account has access to no cube.' })
    })
