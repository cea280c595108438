const memory = 'adcube-account'

/**
 * The account that an address names. Undefined for a person with one account, whose addresses name none. All addresses of
 * a page name the same account: another one is another page, so that nothing in memory can mix.
 */
export const accountIn = (path: string): string | undefined => /^\/console\/accounts\/([\w-]+)/.exec(path)?.[1]

export const addressOf = (account: string | undefined): string =>
  account === undefined ? '/console' : `/console/accounts/${account}`

/** The beginning of all addresses of this page. */
export const addressOfPage = (): string => addressOf(accountIn(location.pathname))

/** Remembers the account for the next address that names none. A browser may allow no storage. */
export function rememberAccount(account: string): void {
  try {
    localStorage.setItem(memory, account)
  } catch {}
}

export function recallAccount(): string | undefined {
  try {
    return localStorage.getItem(memory) ?? undefined
  } catch {
    return undefined
  }
}
