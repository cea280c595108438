/** "any 60 seconds", for a sliding window. */
export function describeWindow(seconds: number): string {
  const [count, unit] = seconds % 3_600 === 0 ? [seconds / 3_600, 'hour'] : [seconds, 'second']
  return count === 1 ? `any ${unit}` : `any ${count} ${unit}s`
}

/** The paths that a limit counts, in the current version of the API. */
export const describePath = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} /v2${path === '*' ? '/*' : path}`
