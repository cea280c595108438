import type { Unit } from '../../catalog/cube.ts'

/** How a person reads the values of a metric, by its unit. */
export function formatterOf(unit: Unit, values: readonly (number | null)[]): (value: number | null) => string {
  const format = new Intl.NumberFormat('en', optionsOf(unit, Math.max(...values.map((value) => value ?? 0))))
  return (value) => (value === null ? '–' : `${format.format(value)}${unit === 'milliseconds' ? ' ms' : ''}`)
}

function optionsOf(unit: Unit, most: number): Intl.NumberFormatOptions {
  const decimals = (count: number) => ({ minimumFractionDigits: count, maximumFractionDigits: count })
  switch (unit) {
    case 'count':
    case 'devices':
    case 'milliseconds':
      return decimals(0)
    case 'currency':
      // Single bids are small.
      return decimals(most < 1 ? 4 : 2)
    case 'fraction':
      return { style: 'percent', ...decimals(2) }
    case 'average':
      return decimals(2)
  }
}
