import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import type { Session } from './calls.ts'
import { ApiError } from './request.ts'

/** Who is signed in; or nobody, and why. */
export type SessionState = Session | 'signed-out' | 'expired'

export const sessionKey = ['session']

export const isSessionOver = (error: unknown): boolean => error instanceof ApiError && error.code === 'sign_in_needed'

/** Of a server that is away or has no room, once more after a moment; a refusal stays one. */
const mayPass = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.status >= 502)

const onError = (error: unknown): void => {
  // Whatever was asked: from now on the page to sign in is shown, at the same address.
  if (isSessionOver(error)) queryClient.setQueryData<SessionState>(sessionKey, 'expired')
  // Somebody has changed this person's role: what they may not do any more is not offered again.
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

/** Begins or ends a session in this page. Nothing that another person has seen is left, not even for a moment. */
export function changeSession(session: Session | 'signed-out'): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
  queryClient.setQueryData<SessionState>(sessionKey, session)
}
