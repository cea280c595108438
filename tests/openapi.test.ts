import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import Schema from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { problems } from '../src/contract/problems.ts'
import { addDays } from '../src/query/day.ts'
import { dimensionValues, loadTestFacts } from './setup/facts.ts'
import { atEnd } from './setup/at-end.ts'
import { openService } from './setup/service.ts'

/** A schema as JSON. */
type Json = any

const service = await openService()
const today = '2026-11-14'
const account = await service.createAccount('openapi')
const facts = dimensionValues.map((value, index) => ({
  day: today,
  dimensions: { Country: value, 'App Name': value },
  measures: { auctions: BigInt(index + 1), net_revenue: BigInt(index) * 1_000_001n, clicks: 0n },
  devices: [],
}))
await loadTestFacts(service, auctions, account.id, facts)

const text = (await service.app.inject('/openapi.json')).body
const api: Json = withoutReferences(JSON.parse(text))

/** Replaces every `$ref` by its schema. */
function withoutReferences(document: Json): Json {
  const resolveIn = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolveIn)
    if (typeof value !== 'object' || value === null) return value
    if (typeof value.$ref === 'string') {
      return resolveIn(
        value.$ref
          .split('/')
          .slice(1)
          .reduce((part: Json, name: string) => part[name], document),
      )
    }
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolveIn(part)]))
  }
  return resolveIn(document)
}

/** Makes objects strict, so that undocumented members are found. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closed(part)]))
  return schema.type === 'object' && schema.properties ? { ...inner, additionalProperties: false } : inner
}

/** Generates values that a schema allows. */
function valuesOf(schema: Json): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'integer':
      return fc.integer({ min: schema.minimum, max: schema.maximum })
    case 'array': {
      const bounds = { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems, 8) }
      return schema.uniqueItems
        ? fc.uniqueArray(valuesOf(schema.items), bounds)
        : fc.array(valuesOf(schema.items), bounds)
    }
    case 'object': {
      const members = Object.entries(schema.properties).map(([name, part]) => [name, valuesOf(part)])
      return fc.record(Object.fromEntries(members), { requiredKeys: schema.required })
    }
    default:
      if (schema.format === 'date') return fc.integer({ min: -16, max: 1 }).map((days) => addDays(today, days))
      if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern)).filter((value) => value.length < 200)
      return fc.string({ maxLength: 20, unit: 'binary' }).map((value) => value.toWellFormed())
  }
}

type Asked = { method: 'GET' | 'POST' | 'DELETE'; url: string; headers: Record<string, string>; payload?: unknown }
type Operation = Json

const operations = Object.entries<Json>(api.paths).flatMap(([path, methods]) =>
  Object.entries<Operation>(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase() as Asked['method'],
    operation,
  })),
)

/** Generates requests of the reference, sometimes with a value that it does not allow. */
function requestsTo({ path, method, operation }: (typeof operations)[number]): fc.Arbitrary<Asked> {
  const mostly = <T, U>(values: fc.Arbitrary<T>, other: fc.Arbitrary<U>) =>
    fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: other })
  const parameters = Object.fromEntries(
    (operation.parameters ?? []).map((each: Json) => [
      `${each.in} ${each.name}`,
      fc.option(mostly(valuesOf(each.schema).map(String), fc.json()), { nil: undefined, freq: each.required ? 10 : 2 }),
    ]),
  ) as Record<string, fc.Arbitrary<string | undefined>>
  const body = operation.requestBody?.content['application/json'].schema
  const key = fc.constantFrom(account.key, account.key, account.key, account.key, 'adc_x', undefined)
  return fc
    .record({
      key,
      parameters: fc.record(parameters),
      payload: body ? mostly(valuesOf(body), fc.jsonValue()) : fc.constant(undefined),
    })
    .map(({ key, parameters, payload }) => {
      const given = Object.entries(parameters).flatMap(([place, value]) =>
        value === undefined ? [] : [{ in: place.split(' ')[0], name: place.split(' ')[1]!, value }],
      )
      const search = new URLSearchParams(
        given.filter((each) => each.in === 'query').map(({ name, value }): [string, string] => [name, value]),
      )
      const inPath = (name: string) => encodeURIComponent(given.find((each) => each.name === name)?.value ?? 'x')
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => inPath(name))
      const headers = given.filter((each) => each.in === 'header' && /^[ -~]*$/.test(each.value))
      return {
        method,
        url: `${url}${search.size > 0 ? `?${search.toString()}` : ''}`,
        headers: {
          ...(key !== undefined && { 'x-api-key': key }),
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
        },
        ...(payload !== undefined && { payload: JSON.stringify(payload) }),
      }
    })
}

describe('the API reference', () => {
  it('passes a strict lint', async () => {
    const require = createRequire(resolve('tests/tools/package.json'))
    const { createConfig, lintFromString } = require('@redocly/openapi-core')
    const config = await createConfig({ extends: ['recommended-strict'] })
    expect(await lintFromString({ source: text, absoluteRef: 'openapi.json', config })).toEqual([])
  })

  it('lists every error code', () => {
    expect(api.components.schemas.Problem.properties.code.enum).toEqual(Object.keys(problems))
  })

  it('names the rates that apply', () => {
    const descriptionOf = (path: string): string => api.paths[path].post.description
    expect(descriptionOf('/v2/data/synchronous')).toContain(
      'over the last 14 days. At most 5 requests a minute, queries and jobs together.',
    )
    expect(descriptionOf('/v2/data/asynchronous')).toContain(
      'over the last 13 months. 10 jobs in 24 hours, and at most 5 requests a minute, queries and jobs together.',
    )
  })

  it('has examples that are accepted', async () => {
    for (const { path, operation } of operations) {
      const examples: Json = operation.requestBody?.content['application/json'].examples ?? {}
      for (const [cube, { value }] of Object.entries<Json>(examples)) {
        const answer = await service.app.inject({
          method: 'POST',
          url: `${path}?cube=${cube}`,
          headers: { 'x-api-key': account.key },
          payload: value,
        })
        expect({ path, cube, status: answer.statusCode }).toEqual({
          path,
          cube,
          status: operation.operationId === 'query' ? 200 : 202,
        })
      }
    }
  })

  it.each(operations)('describes every answer of $method $path', async (each) => {
    await fc.assert(
      fc.asyncProperty(requestsTo(each), async (asked) => {
        const answer = await service.app.inject(asked as InjectOptions)
        expect(answer.statusCode).toBeLessThan(500)
        const said = each.operation.responses[answer.statusCode]
        expect(said, `${answer.statusCode} ${answer.body}`).toBeDefined()
        const [type, content] = Object.entries<Json>(said.content ?? {})[0] ?? []
        if (type === undefined) return expect(answer.body).toBe('')
        expect(answer.headers['content-type']).toContain(type)
        if (content.schema) {
          const schema = closed(content.schema)
          const [, errors] = Schema.Errors(schema, answer.json()) as unknown as [boolean, object[]]
          expect(errors, answer.body).toEqual([])
        }
      }),
      { numRuns: 60 },
    )
  })

  it('allows only queries that are accepted, except for impossible days and sorts by fields that are not selected', async () => {
    const { operation } = operations.find((each) => each.operation.operationId === 'query')!
    const [schema] = operation.requestBody.content['application/json'].schema.anyOf
    await fc.assert(
      fc.asyncProperty(valuesOf(schema), async (query) => {
        const { status, body } = await service.ask(account.key, 'auctions', query)
        const faults = (body.errors ?? []).filter(
          ({ pointer }: { pointer: string }) => !/^#\/(?:start|end|dataset|sort\/\d+\/field)$/.test(pointer),
        )
        expect(faults).toEqual([])
        expect([200, 400]).toContain(status)
      }),
      { numRuns: 100 },
    )
  })
})

const program = `
import createClient from 'openapi-fetch'
import type { paths } from './api.d.ts'

const [baseUrl, key] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl: baseUrl!, headers: { 'x-api-key': key! } })
const started = await client.POST('/v2/data/asynchronous', {
  params: { query: { cube: 'auctions' } },
  body: { start: '${today}', end: '${today}', dimensions: ['Country'], metrics: ['Auctions', 'CTR'] },
})
if (started.error) throw new Error(started.error.detail)
let job = started.data
while (job.job_status === 'PROCESSING') {
  await new Promise((resolve) => setTimeout(resolve, 100))
  const { data } = await client.GET('/v2/data/status', { params: { query: { jobId: job.job_id } } })
  job = data![0]!
}
const csv = await (await fetch(job.output_url)).text()
// @ts-expect-error Unknown metric.
const wrong: Parameters<typeof client.POST<'/v2/data/synchronous', never>>[1] = { body: { metrics: ['Aucions'] } }
console.log(JSON.stringify({ rows: job.rows, csv, wrong: typeof wrong }))
`

describe('a client that is generated from the reference', () => {
  it('compiles, and makes a complete report', async () => {
    service.workers.start()
    const baseUrl = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const folder = await mkdtemp(join(tmpdir(), 'adcube-openapi-'))
    atEnd(() => rm(folder, { recursive: true, force: true }))
    await symlink(resolve('node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'openapi.json'), text)
    await writeFile(join(folder, 'program.ts'), program)
    const run = promisify(execFile)
    const generator = resolve('tests/tools/node_modules/openapi-typescript/bin/cli.js')
    await run(process.execPath, [generator, 'openapi.json', '-o', 'api.d.ts'], { cwd: folder })
    const flags = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext', '--types', 'node']
    const compiler = resolve('node_modules/typescript/bin/tsc')
    await run(process.execPath, [compiler, ...flags, '--allowImportingTsExtensions', 'program.ts'], {
      cwd: folder,
    }).catch((error: { stdout: string }) => expect.fail(error.stdout))
    const { stdout } = await run(process.execPath, ['program.ts', baseUrl, account.key], { cwd: folder })
    const { rows, csv } = JSON.parse(stdout)
    expect(rows).toBe(new Set(dimensionValues).size)
    expect(csv).toMatch(/^Country,Auctions,CTR\r\n/)
  })
})
