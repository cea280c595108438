import { createHash } from 'node:crypto'

/**
 * SQL for random numbers that are the same on every machine. A row has a column `seed`, and each draw has a name: the
 * seed times a number that belongs to the name, modulo a prime, serves as a new random number. DuckDB's random() and
 * hash() can change with its version, and logarithms and powers with the processor.
 */

const prime = 2 ** 31 - 1

/** Makes a row's seed from expressions. It takes a microsecond, too long to do it for every fact. */
export const seedFrom = (...expressions: readonly string[]): string =>
  `(md5_number_lower(concat_ws('/', 'adcube', ${expressions.join(', ')})) % ${prime - 1} + 1)::BIGINT`

/** Makes the seed of a combination from two seeds. */
export const combineSeeds = (one: string, other: string): string => `(${one} * ${other} % ${prime})`

/** At least 0 and below 1, evenly distributed. */
export function chance(draw: string): string {
  const factor = 1 + (createHash('md5').update(draw).digest().readUInt32BE() % (prime - 1))
  return `(seed * ${factor} % ${prime} / ${prime})`
}

export const between = (draw: string, low: number | string, high: number | string): string =>
  `(${low} + (${high} - ${low}) * ${chance(draw)})`

/** From 0 to 3 and 1 on average, small numbers most often. */
export const skewed = (draw: string): string => `(3 * ${chance(draw)} * ${chance(draw)})`

/** A whole number from 0 to `length - 1`, small ones most often: an index into a list that begins with the most used. */
export const rank = (draw: string, length: number | string): string =>
  `floor(${length} * ${chance(draw)} * ${chance(draw)})::INTEGER`

/** Rounds up or down at random and keeps the mean: 0.2 clicks become one click in every fifth row. */
export const whole = (draw: string, value: string): string => `floor(${value} + ${chance(draw)})`

type Value = string | number | boolean

// The texts are our own and have no apostrophes.
const literal = (value: Value): string => (typeof value === 'string' ? `'${value}'` : String(value))

export const list = (items: readonly Value[]): string => `[${items.map(literal).join(', ')}]`

/** One of the items, all equally often. */
export const pick = (draw: string, items: readonly Value[]): string =>
  `(${list(items)})[1 + floor(${items.length} * ${chance(draw)})::INTEGER]`

/** One of the items, the first most often. */
export const pickSkewed = (draw: string, items: readonly Value[]): string =>
  `(${list(items)})[1 + ${rank(draw, items.length)}]`

/** Each item as many times as its number says. */
export const repeat = (counts: Readonly<Record<string, number>>): readonly string[] =>
  Object.entries(counts).flatMap(([item, count]) => Array<string>(count).fill(item))

/** A table for FROM: `table('places', 'place, ad_size', rows)`. */
export const table = (name: string, columns: string, rows: readonly (readonly Value[])[]): string =>
  `(VALUES ${rows.map((row) => `(${row.map(literal).join(', ')})`).join(', ')}) AS ${name}(${columns})`
