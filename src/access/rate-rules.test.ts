import { describe, expect, it } from 'vitest'
import { rateRules, rulesFor } from './rate-rules.ts'

const namesFor = (method: string, path: string): string[] => rulesFor(method, path).map(({ name }) => name)

describe('the rate rules', () => {
  it('are the table of the specification, and the synchronous limit', () => {
    expect(rateRules.map(({ method, path, windowSeconds, quota }) => [method, path, windowSeconds, quota])).toEqual([
      ['GET', '*', 60, 1080],
      ['POST', '*', 60, 1080],
      ['PUT', '*', 60, 1080],
      ['DELETE', '*', 60, 1080],
      ['GET', '/line-items', 1, 5],
      ['PUT', '/line-items', 60, 60],
      ['POST', '/creatives/image_upload', 5, 5],
      ['GET', '/data*', 60, 10],
      ['POST', '/data*', 60, 5],
      ['POST', '/data/synchronous', 60, 10],
    ])
  })

  it.each([
    ['GET', '/v2/data', ['get', 'data-get']],
    ['HEAD', '/v2/data', ['get', 'data-get']],
    ['GET', '/v2/data/status', ['get', 'data-get']],
    ['POST', '/v2/data/synchronous', ['post', 'data-post', 'synchronous']],
    ['POST', '/v17/data/asynchronous', ['post', 'data-post']],
    ['GET', '/v1/line-items', ['get', 'line-items-fetch']],
    ['PUT', '/v2/line-items', ['put', 'line-items-update']],
    ['GET', '/v2/line-items/7', ['get']],
    ['POST', '/v2/creatives/image_upload', ['post', 'image-upload']],
    ['DELETE', '/v2/data/status', ['delete']],
    ['GET', '/v2', ['get']],
    ['PATCH', '/v2/data', []],
    ['GET', '/version/data', []],
    ['POST', '/mcp', ['post']],
    ['POST', '/mcps', []],
    ['GET', '/console/api/keys', []],
  ])('for %s %s are %j', (method, path, names) => {
    expect(namesFor(method, path)).toEqual(names)
  })
})
