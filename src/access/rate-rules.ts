import { synchronousLimits } from '../catalog/limits.ts'

const { rate } = synchronousLimits

export type RateRule = {
  /** What the headers call it. */
  readonly name: string
  readonly description: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** What follows the version segment: the whole of it, or with a `*` the beginning. */
  readonly path: string
  readonly windowSeconds: number
  readonly quota: number
}

/**
 * The specification's table "Rate limits", line by line, and below it the synchronous rate of its table "Query limits".
 * All that match a request apply together. Jobs per day are counted from the stored jobs instead.
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

/** The rules for a request. `path` is decoded and has no query; any version is as good as another. */
export function rulesFor(method: string, path: string): readonly RateRule[] {
  const rest = /^\/v\d+(?=\/|$)(.*)$/s.exec(path)?.[1]
  if (rest === undefined) return []
  // HEAD does all the work of GET, so it costs as much.
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
