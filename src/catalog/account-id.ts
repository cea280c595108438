/** What the id of an account looks like, for JavaScript and for the engine alike: fit for an address and a shell. */
export const accountIdPattern = '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'

export const isAccountId = (text: string): boolean => new RegExp(accountIdPattern).test(text)
