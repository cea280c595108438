/**
 * How distinct devices are counted: by sketches that merge over any group and any days. With this precision a sketch
 * takes at most 12 KB. Stored sketches are of this type, so another precision needs a new column.
 */
const precision = 14

/** The aggregate function of this name, such as `uniqCombined64Merge(14)`. */
export const sketch = (combinator: '' | 'State' | 'Merge' | 'MergeIf' | 'MergeState'): string =>
  `uniqCombined64${combinator}(${precision})`

/** The standard error of a count, relative to it. */
export const sketchError = 1.04 / Math.sqrt(2 ** precision)
