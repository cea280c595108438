import { LIST, listValue, VARCHAR, type DuckDBType, type DuckDBValue } from '@duckdb/node-api'

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Reads the files that a parameter names. Folders such as `day=…` in their paths are no columns. */
export const readParquet = (parameter: string): string => `read_parquet($${parameter}, hive_partitioning = false)`

/** The statement that writes the rows of a SELECT to a file, or to a folder. */
export const copyTo = (path: string, select: string, format = 'FORMAT parquet'): string =>
  `COPY (${select}) TO ${quoteText(path)} (${format})`

type Bound = readonly [values: Record<string, DuckDBValue>, types: Record<string, DuckDBType>]

/** Parameters as the binding takes them. Lists are of text, which DuckDB cannot tell from an empty one. */
export function bindParams(params: Readonly<Record<string, unknown>>): Bound {
  const bound: Bound = [{}, {}]
  const [values, types] = bound
  for (const [name, value] of Object.entries(params)) {
    if (!Array.isArray(value)) values[name] = value as string | number
    else {
      values[name] = listValue(value)
      types[name] = LIST(VARCHAR)
    }
  }
  return bound
}
