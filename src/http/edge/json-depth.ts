const quote = 0x22
const backslash = 0x5c
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** Checks whether a JSON text has more levels of arrays and objects. */
export function isDeeper(json: string, levels: number): boolean {
  // Nearly every body has fewer brackets than that. Counting them takes a microsecond.
  if (countUpTo(levels + 1, '[', json) + countUpTo(levels + 1, '{', json) <= levels) return false
  let level = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (isText) {
      if (code === backslash) at++
      else if (code === quote) isText = false
    } else if (code === quote) isText = true
    else if (code === openArray || code === openObject) level++
    else if (code === closeArray || code === closeObject) level--
    if (level > levels) return true
  }
  return false
}

function countUpTo(most: number, character: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(character); at >= 0 && count < most; at = text.indexOf(character, at + 1)) count++
  return count
}
