import { useQuery } from '@tanstack/react-query'
import { createContext, useContext, useEffect, type ReactNode } from 'react'
import { accountIn, rememberAccount } from '../api/account.ts'
import type { Session } from '../api/calls.ts'
import { sessionKey } from '../api/query-client.ts'
import { Failed } from '../parts/failed.tsx'
import { ChooseAccount } from './choose-account.tsx'
import { findSession } from './find-session.ts'
import { ForeignAccount } from './foreign-account.tsx'
import { SignIn } from './sign-in.tsx'

const SessionContext = createContext<Session | undefined>(undefined)

/** The signed-in person and their account. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('there is no session here')
  return session
}

export const useIsAdministrator = (): boolean => useSession().person.role === 'administrator'

/** True if the address would have to name one of several accounts. */
const isUnnamed = ({ accounts }: Session): boolean => accounts.length > 1 && accountIn(location.pathname) === undefined

/** Shows its children to a signed-in person, and the sign-in page otherwise, at any address. */
export function RequireSession({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => findSession({ signal }),
    staleTime: Infinity,
  })
  useEffect(() => {
    if (typeof data === 'object' && !isUnnamed(data)) rememberAccount(data.account.id)
  }, [data])
  if (error && data === undefined) return <Failed error={error} onRetry={() => void refetch()} />
  if (data === undefined) return null
  if (data === 'signed-out' || data === 'expired') return <SignIn hasExpired={data === 'expired'} />
  if (data === 'foreign') return <ForeignAccount />
  if (isUnnamed(data)) return <ChooseAccount {...data} />
  return <SessionContext value={data}>{children}</SessionContext>
}
