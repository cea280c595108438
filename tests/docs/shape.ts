type Options = { readonly isShortened: boolean }

/** Lists the differences in shape between the answer in a page and the real one. Values are not compared. */
export function differences(shown: unknown, real: unknown, { isShortened }: Options, at = '$'): readonly string[] {
  // A value that is null today may be set tomorrow.
  if (shown === null || real === null) return []
  if (kindOf(shown) !== kindOf(real)) return [`${at}: ${kindOf(shown)} in the page, really ${kindOf(real)}`]
  if (Array.isArray(shown) && Array.isArray(real)) {
    if (shown.length > 0 && real.length === 0) return [`${at}: really empty`]
    return shown.flatMap((each, index) =>
      differences(each, real[Math.min(index, real.length - 1)], { isShortened }, `${at}[${index}]`),
    )
  }
  if (!isRecord(shown) || !isRecord(real)) return []
  const added = Object.keys(shown).filter((key) => !Object.hasOwn(real, key))
  const missing = Object.keys(real).filter((key) => !Object.hasOwn(shown, key))
  return [
    ...added.map((key) => `${at}.${key}: not in the answer`),
    ...(isShortened ? [] : missing.map((key) => `${at}.${key}: not in the page`)),
    ...Object.keys(shown)
      .filter((key) => Object.hasOwn(real, key))
      .flatMap((key) => differences(shown[key], real[key], { isShortened }, `${at}.${key}`)),
  ]
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Removes figures, bars and padding from a line, which differ from run to run. */
export const plainLine = (line: string): string =>
  line
    .replaceAll(/[█▉▊▋▌▍▎▏▁▂▃▄▅▆▇]+/g, '')
    .replaceAll(/\b[a-z]+_[0-9a-f…]+/g, 'id')
    .replaceAll(/\d[\d.,:%T-]*/g, '0')
    .replaceAll(/\s+/g, ' ')
    .trim()
