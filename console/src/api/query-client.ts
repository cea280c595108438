import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import type { Session } from './calls.ts'
import { ApiError } from './request.ts'

/** The signed-in person, or the reason why nobody is signed in. */
export type SessionState = Session | 'signed-out' | 'expired'

export const sessionKey = ['session']

export const isSessionOver = (error: unknown): boolean => error instanceof ApiError && error.code === 'sign_in_needed'

/** True if a repeated request may succeed, because the server was down or busy. */
const mayPass = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.status >= 502)

const onError = (error: unknown): void => {
  // The session has ended: show the sign-in page at the same address.
  if (isSessionOver(error)) queryClient.setQueryData<SessionState>(sessionKey, 'expired')
  // The person's role has changed: update what the pages offer.
  if (error instanceof ApiError && error.code === 'administrators_only') {
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
export function changeSession(session: Session | 'signed-out'): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
  queryClient.setQueryData<SessionState>(sessionKey, session)
}
