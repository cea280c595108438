import { synchronousLimits } from '../catalog/limits.ts'

const { rate } = synchronousLimits

export type RateRule = {
  /** The name in headers. */
  readonly name: string
  readonly description: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path after the version segment; a `*` at the end stands for any rest. */
  readonly path: string
  readonly windowSeconds: number
  readonly quota: number
}

/**
 * The specification's table "Rate limits", line by line, and the synchronous rate of its table "Query limits". All rules
 * that match a request apply together. Jobs per day are counted from the stored jobs instead.
 */
export const rateRules: readonly RateRule[] = [
  rule('get', 'All GET requests', 'GET', '*', 60, 1080),
  rule('post', 'All POST requests', 'POST', '*', 60, 1080),
  rule('put', 'All PUT requests', 'PUT', '*', 60, 1080),
  rule('delete', 'All DELETE requests', 'DELETE', '*', 60, 1080),
  rule('line-items-fetch', 'Line items bulk fetch', 'GET', '/line-items', 1, 5),
  rule('line-items-update', 'Line items bulk update', 'PUT', '/line-items', 60, 60),
  rule('image-upload', 'Creatives image upload', 'POST', '/creatives/image_upload', 5, 5),
  rule('data-get', 'Data GET requests', 'GET', '/data*', 60, 10),
  rule('data-post', 'Data POST requests', 'POST', '/data*', 60, 5),
  rule('synchronous', 'Synchronous requests', 'POST', '/data/synchronous', rate.windowSeconds, rate.quota),
]

/** Finds the rules for a request, of any version. `path` is decoded and has no query string. */
export function rulesFor(method: string, path: string): readonly RateRule[] {
  const rest = /^\/v\d+(?=\/|$)(.*)$/s.exec(path)?.[1]
  if (rest === undefined) return []
  // HEAD does the same work as GET.
  const counted = method === 'HEAD' ? 'GET' : method
  return rateRules.filter((each) => each.method === counted && fits(rest, each.path))
}

const fits = (path: string, pattern: string): boolean =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern

function rule(
  name: string,
  description: string,
  method: RateRule['method'],
  path: string,
  windowSeconds: number,
  quota: number,
): RateRule {
  return { name, description, method, path, windowSeconds, quota }
}
