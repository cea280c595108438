import { LIST, listValue, VARCHAR, type DuckDBType, type DuckDBValue } from '@duckdb/node-api'
import type { Statement } from '../compile.ts'

type Bound = readonly [values: Record<string, DuckDBValue>, types: Record<string, DuckDBType>]

/** Parameters as the binding takes them. Lists are of text, which an empty one has to say. */
export function bindParams({ params }: Statement): Bound {
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
