import type { PatternMatch } from '../compile.ts'

/**
 * Patterns without `_` and without wildcards that are escaped. DuckDB matches the others by recursion: a short pattern
 * can take seconds for one value, and the query cannot be interrupted meanwhile.
 */
const isPlain = (pattern: string): boolean => /^(?:[^\\_\0]|\\[^%_\0])*$/u.test(pattern)

/**
 * DuckDB's optimizer turns the text before the first wildcard into a range, by adding one to its last byte. After 7F and
 * BF, that byte is no longer UTF-8, and the query fails. It leaves alone what ends in its only wildcard.
 */
function hasFaultyRange(text: string): boolean {
  const [prefix = '', ...others] = text.split('%')
  const lastByte = Buffer.from(prefix).at(-1)
  return others.some((other) => other !== '') && (lastByte === 0x7f || lastByte === 0xbf)
}

/** Matches with LIKE where DuckDB searches for the text between the wildcards, otherwise with a regular expression. */
export function matchLike(pattern: string): PatternMatch {
  const text = pattern.replaceAll(/\\(.)/gsu, '$1')
  if (!isPlain(pattern) || hasFaultyRange(text)) return matchRegex(likeToRegex(pattern))
  return { matches: (value, parameter) => `${value} LIKE $${parameter}`, pattern: text }
}

/** Matches whole values with RE2, whose time is linear in their length. `s` lets a dot match the end of a line too. */
const matchRegex = (regex: string): PatternMatch => ({
  matches: (value, parameter) => `regexp_full_match(${value}, $${parameter}, 's')`,
  pattern: regex,
})

const likeToRegex = (pattern: string): string =>
  pattern.replaceAll(/([%_]+)|\\(.)|[^%_\\]+/gsu, (text, wildcards?: string, escaped?: string) => {
    if (wildcards === undefined) return quoteRegex(escaped ?? text)
    // The order of wildcards in a row has no meaning, and one .* is enough.
    return `${'.'.repeat(wildcards.replaceAll('%', '').length)}${wildcards.includes('%') ? '.*' : ''}`
  })

/** `RegExp.escape` writes escapes that RE2 does not have. RE2 takes ASCII after a backslash literally, except for \w. */
const quoteRegex = (text: string): string =>
  text.replaceAll(/[^\w\u0080-\u{10ffff}]/gu, (character) => (character === '\0' ? String.raw`\x00` : `\\${character}`))
