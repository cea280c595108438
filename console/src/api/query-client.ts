import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import type { Session } from './calls.ts'
import { ApiError } from './request.ts'

/** The signed-in person in the account of the address, or the reason why there is none. */
export type SessionState = Session | 'signed-out' | 'expired' | 'foreign'

export const sessionKey = ['session']

export const isSessionOver = (error: unknown): boolean => error instanceof ApiError && error.code === 'sign_in_needed'

/** True if the person does not belong to the account of the address. */
export const isForeign = (error: unknown): boolean => error instanceof ApiError && error.code === 'account_unknown'

/** True if a repeated request may succeed, because the server was down or busy. */
const mayPass = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.status >= 502)

const onError = (error: unknown): void => {
  // The session has ended: show the sign-in page at the same address.
  if (isSessionOver(error)) queryClient.setQueryData<SessionState>(sessionKey, 'expired')
  if (isForeign(error)) queryClient.setQueryData<SessionState>(sessionKey, 'foreign')
  // The person's role or number of accounts has changed: update what the pages offer.
  if (error instanceof ApiError && ['administrators_only', 'account_needed'].includes(error.code)) {
    void queryClient.invalidateQueries({ queryKey: sessionKey })
  }
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 1 && mayPass(error),
      retryDelay: 1_000,
    },
  },
})

/** Starts or ends a session in this page, and removes all data of the earlier one first. */
export function changeSession(session: SessionState): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
  queryClient.setQueryData<SessionState>(sessionKey, session)
}
