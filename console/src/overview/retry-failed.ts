import { queryClient } from '../api/query-client.ts'

/** Asks again for all of the page that could not be loaded: what kept one part from loading mostly kept the others. */
export const retryFailed = (): void =>
  void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
