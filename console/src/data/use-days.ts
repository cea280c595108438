import { useQuery } from '@tanstack/react-query'
import type { Cube } from '../../../src/catalog/cube.ts'
import { calls } from '../api/calls.ts'

/** Loads the loaded days of a cube, and the days that can be queried. */
export const useDays = ({ alias }: Cube) =>
  useQuery({ queryKey: ['days', alias], queryFn: ({ signal }) => calls.days(alias, { signal }) })
