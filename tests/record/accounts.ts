/** When everything happens, unless a step moves the clock. */
export const noon = '2026-11-14T12:00:00Z'

/** The accounts of the record. Those in facts.ts have facts. */
export const accounts: Readonly<Record<string, { readonly cubes?: readonly string[]; readonly rateFactor?: number }>> =
  {
    aurora: {},
    borealis: {},
    cumulus: { cubes: ['auctions'] },
    dune: {},
    exporter: { rateFactor: 20 },
    downloader: { rateFactor: 20 },
    limited: {},
    daily: {},
    closed: {},
    shrinking: { rateFactor: 20 },
  }

/** Keys besides those that are named after their account. */
export const otherKeys = {
  expired: { account: 'aurora', createdAt: '2026-05-14T12:00:00Z' },
  'about to expire': { account: 'aurora', createdAt: '2026-05-14T12:00:01Z' },
  deleted: { account: 'aurora', createdAt: noon },
  'deleted and expired': { account: 'aurora', createdAt: '2026-05-14T12:00:00Z' },
  second: { account: 'aurora', createdAt: noon },
} as const
