/** Reading a larger text again would block the server for longer than parsing it. */
const charactersMax = 64 * 1024

/** Describes where a text that is not JSON stops being JSON. The messages of `JSON.parse` do not always say it. */
export function describeJsonFault(text: string): string {
  if (text.trim() === '') return 'The body is empty.'
  if (text.length > charactersMax) return 'The body cannot be parsed as JSON.'
  const at = findFault(text)
  const lines = text.slice(0, at).split(/\r\n|\r|\n/)
  const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
  return at === text.length ? `The JSON ends too early, at ${place}.` : `The body is not JSON at ${place}.`
}

const space = /[ \t\r\n]*/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
/** Characters of a string other than quotes, backslashes and control characters. */
// oxlint-disable-next-line no-control-regex
const plain = /[^"\\\u0000-\u001f]*/y
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Returns the position of the first character that cannot be there; the length if the text ends too early. */
function findFault(text: string): number {
  // The parser skips a byte order mark.
  let at = text.startsWith('\ufeff') ? 1 : 0
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const isThere = pattern.test(text)
    if (isThere) at = pattern.lastIndex
    return isThere
  }
  const skipString = (): boolean => {
    if (text[at] !== '"') return false
    at++
    do skip(plain)
    while (skip(escape))
    if (text[at] !== '"') return false
    at++
    return true
  }
  /** The ends of the objects and arrays that are open. */
  const open: string[] = []
  let expected: 'value' | 'first' | 'name' | 'comma' = 'value'
  for (;;) {
    skip(space)
    const sign = text[at]
    const end = open.at(-1)
    if (sign !== undefined && sign === end && (expected === 'comma' || expected === 'first')) {
      at++
      open.pop()
      expected = 'comma'
    } else if (expected === 'comma') {
      if (sign !== ',' || end === undefined) return at
      at++
      expected = end === '}' ? 'name' : 'value'
    } else if (expected === 'name' || (expected === 'first' && end === '}')) {
      if (!skipString()) return at
      skip(space)
      if (text[at] !== ':') return at
      at++
      expected = 'value'
    } else if (sign === '{' || sign === '[') {
      at++
      open.push(sign === '{' ? '}' : ']')
      expected = 'first'
    } else {
      if (!(sign === '"' ? skipString() : skip(scalar))) return at
      expected = 'comma'
    }
  }
}
