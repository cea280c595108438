import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { Cube } from '../../../src/catalog/cube.ts'
import { runQuery, type QueryAnswer, type QueryBody } from '../api/query.ts'

/** The rows of a query about days that rarely change. */
export const useRows = ({ alias }: Cube, body: QueryBody): UseQueryResult<QueryAnswer> =>
  useQuery({
    queryKey: ['query', alias, body],
    queryFn: ({ signal }) => runQuery(alias, body, signal),
    staleTime: 300_000,
  })
