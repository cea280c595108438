import type { Method, Step } from '../step.ts'

const paths = ['/v2/data', '/v2/data/metadata', '/v2/data/synchronous', '/v2/data/asynchronous', '/v2/data/status']
const methods: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const allowed: Readonly<Record<string, readonly Method[]>> = {
  '/v2/data': ['GET', 'HEAD'],
  '/v2/data/metadata': ['GET', 'HEAD'],
  '/v2/data/synchronous': ['POST'],
  '/v2/data/asynchronous': ['POST'],
  '/v2/data/status': ['GET', 'HEAD', 'DELETE'],
}

/** Paths that are unknown, and methods that a path does not take. */
export const pathsAndMethods: readonly Step[] = [
  ...paths.flatMap((url) =>
    methods
      .filter((method) => !allowed[url]!.includes(method))
      .map((method) => ({ name: `${method} ${url}`, method, url })),
  ),
  { name: 'PUT with a malformed body', method: 'PUT', url: '/v2/data/synchronous', body: '{' },
  ...[
    '/v2',
    '/v2/',
    '/v2/unknown',
    '/v2/data/unknown',
    '/v2/data/synchronous/more',
    '/v2/Data',
    '/v2//data',
    '/v2/line-items',
    '/v1/data',
    '/v3/data',
    '/v99999/anything',
    '/v2/data%2Fstatus',
    '/v2/dat%61',
    '/v2/data/%zz',
    '/v2/data/status/',
    '/v2/..%2fdata',
    '/data',
    '/V2/data',
  ].map((url) => ({ name: `GET ${url}`, url })),
  { name: 'PUT /v2/line-items', method: 'PUT', url: '/v2/line-items' },
  { name: 'POST /v2/creatives/image_upload', method: 'POST', url: '/v2/creatives/image_upload' },
  { name: 'POST an unknown path', url: '/v2/unknown', body: { a: 1 } },
  { name: 'DELETE an unknown path', method: 'DELETE', url: '/v2/unknown' },
  { name: 'an unknown path with parameters', url: '/v2/unknown?a=1&a=2' },
  { name: 'an unknown path without a key', url: '/v2/unknown', key: null },
  { name: 'a wrong method without a key', method: 'PUT', url: '/v2/data', key: null },
  { name: 'another version without a key', url: '/v1/data', key: null },
]
