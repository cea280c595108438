import { useQuery } from '@tanstack/react-query'
import type { Cube } from '../../../src/catalog/cube.ts'
import { calls } from '../api/calls.ts'

/** The loaded days of a cube, and which days can be asked for. */
export const useDays = ({ alias }: Cube) =>
  useQuery({ queryKey: ['days', alias], queryFn: ({ signal }) => calls.days(alias, { signal }) })
