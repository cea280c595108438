/** How long each kind of call may take. Queries and exports bring limits of their own. */
export type Timeouts = {
  /** For whether a query would be answered. */
  readonly probeMsMax: number
  /** Small questions and changes of the schema. */
  readonly statementMsMax: number
  /** Removing facts goes through all that is stored, and rewrites the days where it finds some. */
  readonly removalMsMax: number
  /** One file: an account's facts of a day. A million facts take some seconds and 60 MB on the line. */
  readonly insertMsMax: number
}

export const defaultTimeouts: Timeouts = {
  probeMsMax: 3_000,
  statementMsMax: 60_000,
  removalMsMax: 10 * 60_000,
  insertMsMax: 30 * 60_000,
}
