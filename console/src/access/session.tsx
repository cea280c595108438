import { useQuery } from '@tanstack/react-query'
import { createContext, useContext, type ReactNode } from 'react'
import { calls, type Session } from '../api/calls.ts'
import { isSessionOver, sessionKey, type SessionState } from '../api/query-client.ts'
import { Failed } from '../parts/failed.tsx'
import { SignIn } from './sign-in.tsx'

const SessionContext = createContext<Session | undefined>(undefined)

/** The signed-in person and their account. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('there is no session here')
  return session
}

export const useIsAdministrator = (): boolean => useSession().person.role === 'administrator'

async function findSession({ signal }: { readonly signal: AbortSignal }): Promise<SessionState> {
  try {
    return (await calls.session({ signal })) ?? 'signed-out'
  } catch (error) {
    if (isSessionOver(error)) return 'expired'
    throw error
  }
}

/** Shows its children to a signed-in person, and the sign-in page otherwise, at any address. */
export function RequireSession({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useQuery({ queryKey: sessionKey, queryFn: findSession, staleTime: Infinity })
  if (error && data === undefined) return <Failed error={error} onRetry={() => void refetch()} />
  if (data === undefined) return null
  if (data === 'signed-out' || data === 'expired') return <SignIn hasExpired={data === 'expired'} />
  return <SessionContext value={data}>{children}</SessionContext>
}
