/** Values that the global set-ups provide to all test files. */
declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the store whose loads the facts belong to. */
    dataFolder: string
    /** The ClickHouse server that stores the facts; undefined if they are in the data folder. */
    clickhouse: { readonly url: string; readonly readerUrl: string } | undefined
  }
}
