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
export const rateRules: readonly RateRule[] = (
  [
    ['get', 'All GET requests', 'GET', '*', 60, 1080],
    ['post', 'All POST requests', 'POST', '*', 60, 1080],
    ['put', 'All PUT requests', 'PUT', '*', 60, 1080],
    ['delete', 'All DELETE requests', 'DELETE', '*', 60, 1080],
    ['line-items-fetch', 'Line items bulk fetch', 'GET', '/line-items', 1, 5],
    ['line-items-update', 'Line items bulk update', 'PUT', '/line-items', 60, 60],
    ['image-upload', 'Creatives image upload', 'POST', '/creatives/image_upload', 5, 5],
    ['data-get', 'Data GET requests', 'GET', '/data*', 60, 10],
    ['data-post', 'Data POST requests', 'POST', '/data*', 60, 5],
    ['synchronous', 'Synchronous requests', 'POST', '/data/synchronous', rate.windowSeconds, rate.quota],
  ] as const
).map(([name, description, method, path, windowSeconds, quota]) => ({
  name,
  description,
  method,
  path,
  windowSeconds,
  quota,
}))

/** Finds the rules for a request, of any version or of MCP. `path` is decoded and has no query string. */
export function rulesFor(method: string, path: string): readonly RateRule[] {
  const rest = /^\/(?:v\d+|mcp)(?=\/|$)(.*)$/s.exec(path)?.[1]
  if (rest === undefined) return []
  // HEAD does the same work as GET.
  const counted = method === 'HEAD' ? 'GET' : method
  return rateRules.filter((each) => each.method === counted && fits(rest, each.path))
}

const fits = (path: string, pattern: string): boolean =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
