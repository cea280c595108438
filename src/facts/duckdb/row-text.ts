import { DuckDBDecimalValue, type DuckDBValue } from '@duckdb/node-api'

/** A row as JSON text. Whole numbers and decimals keep every digit; a decimal loses the zeros that end it. */
export function rowText(names: readonly string[], values: readonly DuckDBValue[]): string {
  const fields = names.map((name, index) => `${JSON.stringify(name)}:${valueText(values[index] ?? null)}`)
  return `{${fields.join(',')}}`
}

function valueText(value: DuckDBValue): string {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return JSON.stringify(value)
  if (value instanceof DuckDBDecimalValue) return value.toString().replace(/\.?0+$/, '')
  return JSON.stringify(value.toString())
}
