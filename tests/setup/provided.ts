/** What the global set-ups make, for all test files of a run. */
declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the store is whose loads the facts belong to. */
    dataFolder: string
    /** The server that keeps the facts; undefined where they are in the data folder. */
    clickhouse: { readonly url: string; readonly readerUrl: string } | undefined
  }
}
