import { DuckDBDecimalValue, type DuckDBValue } from '@duckdb/node-api'

/** Writes rows with these names as JSON text. Whole numbers and decimals keep every digit; a decimal loses the zeros that end it. */
export function rowWriter(names: readonly string[]): (values: readonly DuckDBValue[]) => string {
  // A thousand rows have the same names: they are escaped once.
  const heads = names.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  return (values) => `${heads.map((head, index) => head + valueText(values[index] ?? null)).join('')}}`
}

function valueText(value: DuckDBValue): string {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return JSON.stringify(value)
  if (value instanceof DuckDBDecimalValue) return value.toString().replace(/\.?0+$/, '')
  return JSON.stringify(value.toString())
}
