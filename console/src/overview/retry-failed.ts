import { queryClient } from '../api/query-client.ts'

/** Repeats all failed requests of the page, because they usually failed for the same reason. */
export const retryFailed = (): void =>
  void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
