import { DuckDBDateValue, DuckDBDecimalValue, type DuckDBValue } from '@duckdb/node-api'

/** Writes rows as JSON. Whole numbers and decimals keep every digit. */
export function rowTexts(names: readonly string[], columns: readonly (readonly DuckDBValue[])[]): string[] {
  const texts = columns.map((values) => values.map(valueWriter()))
  const heads = names.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  const [first = []] = texts
  return first.map((_, row) => `${heads.reduce((text, head, index) => text + head + texts[index]![row]!, '')}}`)
}

function valueWriter(): (value: DuckDBValue) => string {
  // Writing a day is slow, and hundreds of rows have the same few days.
  const days = new Map<number, string>()
  return (value) => {
    if (value === null) return 'null'
    if (typeof value === 'bigint') return value.toString()
    if (typeof value === 'number') return JSON.stringify(value)
    if (value instanceof DuckDBDecimalValue) return decimalText(value)
    if (!(value instanceof DuckDBDateValue)) return JSON.stringify(value.toString())
    const text = days.get(value.days) ?? JSON.stringify(value.toString())
    days.set(value.days, text)
    return text
  }
}

/** Without trailing zeros. */
function decimalText({ value, scale }: DuckDBDecimalValue): string {
  const [sign, amount] = value < 0n ? ['-', -value] : ['', value]
  const digits = amount.toString().padStart(scale + 1, '0')
  const point = digits.length - scale
  const fraction = digits.slice(point).replace(/0+$/, '')
  return sign + digits.slice(0, point) + (fraction === '' ? '' : `.${fraction}`)
}
