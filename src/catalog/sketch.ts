/**
 * How distinct devices are counted: by sketches that merge over any group and any days. With this precision the
 * standard error is 0.8 %, 95 of 100 counts are within 1.6 %, small groups are exact, and a sketch takes at most 12 KB.
 * Stored sketches are of this type, so another value needs a new column.
 */
export const sketch = 'uniqCombined64'
export const sketchPrecision = 14
