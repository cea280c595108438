/** What one query may ask for. */
export type QueryBounds = {
  readonly endpoint: 'synchronous' | 'asynchronous' | 'console'
  readonly available: { readonly days: number } | { readonly months: number }
  readonly daysMax: number
  readonly dimensionsMax: number
  readonly metricsMax: number
  readonly rowsMax: number
}

/** The table "Query limits" of the specification, a column an endpoint. */
export type QueryLimits = QueryBounds & {
  /** Requests of an account, or jobs of an account, in any stretch of time as long as the window. */
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

/** Of queries that the console shows: as synchronous, but with the days before, to compare a period with. */
export const consoleBounds: QueryBounds = { ...synchronousLimits, endpoint: 'console', available: { days: 28 } }

/** Bounds that all queries share. The last two are ours: they bound what a stranger can send. */
export const commonLimits = {
  filtersMax: 5,
  sortsMax: 5,
  rowsDefault: 1_000,
  filterValuesMax: 1_000,
  filterValueCharactersMax: 1_000,
} as const
