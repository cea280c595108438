/** The limits of one query. */
export type QueryBounds = {
  readonly endpoint: 'synchronous' | 'asynchronous' | 'console'
  readonly available: { readonly days: number } | { readonly months: number }
  readonly daysMax: number
  readonly dimensionsMax: number
  readonly metricsMax: number
  readonly rowsMax: number
}

/** A column of the table "Query limits" in the specification. */
export type QueryLimits = QueryBounds & {
  /** The most requests or jobs of an account within any window of this length. */
  readonly rate: { readonly quota: number; readonly of: 'requests' | 'jobs'; readonly windowSeconds: number }
}

export const synchronousLimits: QueryLimits = {
  endpoint: 'synchronous',
  rate: { quota: 10, of: 'requests', windowSeconds: 60 },
  available: { days: 14 },
  daysMax: 14,
  dimensionsMax: 2,
  metricsMax: 5,
  rowsMax: 1_000,
}

export const asynchronousLimits: QueryLimits = {
  endpoint: 'asynchronous',
  rate: { quota: 10, of: 'jobs', windowSeconds: 24 * 60 * 60 },
  available: { months: 13 },
  daysMax: 31,
  dimensionsMax: 10,
  metricsMax: 10,
  rowsMax: 10_000_000,
}

/** The limits of the console's queries, which compare a synchronous period with the one before. */
export const consoleBounds: QueryBounds = { ...synchronousLimits, endpoint: 'console', available: { days: 28 } }

/** The limits that all queries share. The last two are ours: they bound the size of a request. */
export const commonLimits = {
  filtersMax: 5,
  sortsMax: 5,
  rowsDefault: 1_000,
  filterValuesMax: 1_000,
  filterValueCharactersMax: 1_000,
} as const
