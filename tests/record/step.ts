export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** A request of the record. */
export type RecordedRequest = {
  /** Its name in the record, and in a failing test. */
  readonly name: string
  /** POST where there is a body, otherwise GET. */
  readonly method?: Method
  /**
   * `{job 1}` stands for the id of the first job that an answer of the theme has named, `{link 1}` for its download, and
   * `{path 1}`, `{expires 1}` and `{signature 1}` for the parts of that.
   */
  readonly url: string
  /** The name of a key (accounts.ts), or any other text to be sent as it is; null sends none. */
  readonly key?: string | null
  /** `{etag}` stands for the tag of the last report that was downloaded. */
  readonly headers?: Readonly<Record<string, string>>
  /** Text is sent as it is, everything else as JSON. */
  readonly body?: unknown
  /** Rate limits have counted the requests before this one; otherwise they have counted nothing. */
  readonly keepsCounts?: true
  /** How often it is sent; the last answer is recorded. */
  readonly times?: number
  /** The address that it comes from; otherwise one of its own. */
  readonly from?: string
}

/** Something that happens between requests. */
export type Change =
  | { readonly clock: string }
  | { readonly makeReports: true }
  /** By the key of their account; of these jobs, no reports are made. */
  | { readonly cancelJobs: string }
  /** For good. */
  | { readonly stopEngine: true }
  | { readonly deleteKey: string }
  | { readonly disableAccount: string }
  | { readonly allowCubes: readonly string[]; readonly account: string }

export type Step = RecordedRequest | Change

/** Shortens a table of queries: each row has a name, and what differs from a query of its endpoint. */
export const post =
  (
    endpoint: 'synchronous' | 'asynchronous',
    query: object,
    { cube = 'auctions', key }: { cube?: string; key?: string } = {},
  ) =>
  (name: string, change: object = {}): RecordedRequest => ({
    name,
    url: `/v2/data/${endpoint}?cube=${cube}`,
    body: { ...query, ...change },
    ...(key !== undefined && { key }),
  })
