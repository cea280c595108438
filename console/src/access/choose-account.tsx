import { useEffect } from 'react'
import type { Session } from '../api/calls.ts'
import { addressOf, recallAccount } from '../api/account.ts'

/** Opens the address again with the account that was used last. */
export function ChooseAccount({ accounts }: Pick<Session, 'accounts'>) {
  useEffect(() => {
    const last = recallAccount()
    const { id } = accounts.find((account) => account.id === last) ?? accounts[0]!
    const { pathname, search, hash } = location
    location.replace(addressOf(id) + pathname.slice(addressOf(undefined).length) + search + hash)
  }, [accounts])
  return null
}
