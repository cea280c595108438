import { brotliCompressSync, gzipSync } from 'node:zlib'
import { cubes } from '../../../src/catalog/cubes.ts'
import { addDays, dayOf } from '../../../src/query/day.ts'
import type { Chance } from './chance.ts'
import { hostilePattern, hostileText, misspell } from './texts.ts'

export type Body = { readonly bytes: Buffer; readonly headers: readonly (readonly [string, string])[] }

/** A query that the API usually accepts. */
function makeQuery(chance: Chance): Record<string, unknown> {
  const cube = chance.pick(cubes)
  const today = dayOf(Date.now())
  const back = chance.below(14)
  const some = (items: readonly { readonly name: string }[], max: number): string[] => [
    ...new Set(Array.from({ length: chance.below(max + 1) }, () => chance.pick(items).name)),
  ]
  const dimensions = some(cube.dimensions, 2)
  const metrics = some(cube.metrics, 4)
  const query: Record<string, unknown> = {
    start: addDays(today, -back),
    end: addDays(today, -chance.below(back + 1)),
    dimensions,
    metrics: metrics.length > 0 ? metrics : [cube.metrics[0]?.name],
  }
  if (chance.happens(0.5)) {
    query.filters = Array.from({ length: chance.below(4) }, () => {
      const operator = chance.pick(['=', 'like', 'in', 'not in'])
      const field = chance.pick(cube.dimensions).name
      const text = operator === 'like' ? hostilePattern : hostileText
      const values = Array.from({ length: 1 + chance.below(5) }, () => text(chance))
      return operator === '=' || operator === 'like'
        ? { field, operator, value: values[0] }
        : { field, operator, values }
    })
  }
  if (chance.happens(0.4))
    query.sort = metrics.slice(0, 2).map((field) => ({ field, order: chance.pick(['asc', 'Desc']) }))
  if (chance.happens(0.4)) query.limit = 1 + chance.below(1_000)
  return query
}

/** Methods of the Model Context Protocol. */
const messages = ['ping', 'ping', 'initialize', 'tools/list', 'tools/call', 'notifications/initialized', 'x'] as const

function makeMessage(chance: Chance) {
  const method = chance.pick(messages)
  const call = { name: chance.pick(['query', 'list_fields', 'get_job', 'x']), arguments: makeQuery(chance) }
  const params = method === 'tools/call' ? call : { protocolVersion: '2025-06-18', capabilities: {} }
  return { jsonrpc: '2.0', id: chance.below(1_000), method, params }
}

/** One message or a batch. */
const makeMessages = (chance: Chance) =>
  chance.happens(0.7)
    ? makeMessage(chance)
    : Array.from({ length: chance.pick([0, 2, 100]) }, () => makeMessage(chance))

/** Bodies that the routes accept. */
const forms = {
  signIn: (chance: Chance) => ({ email: `person-${chance.below(50)}@fuzz.example`, password: 'wrong password' }),
  person: (chance: Chance) => ({
    email: `person-${chance.below(50)}@fuzz.example`,
    role: chance.pick(['administrator', 'member']),
  }),
  key: (chance: Chance) => ({ name: `Key ${chance.below(1_000)}` }),
  role: (chance: Chance) => ({ role: chance.pick(['administrator', 'member']) }),
  invitation: () => ({ token: 'x'.repeat(43), password: 'a password that is long' }),
  password: () => ({ current_password: 'wrong password', new_password: 'a password that is long' }),
  query: makeQuery,
  messages: makeMessages,
}

export type Form = keyof typeof forms

/** Any JSON value, usually of the wrong type. */
function strangeValue(chance: Chance): unknown {
  const number = (): number => chance.pick([0, -0, -1, 1.5, 1e21, 2 ** 53, -(2 ** 63), 1e308, 5e-324, 1_001])
  switch (chance.below(9)) {
    case 0:
      return null
    case 1:
      return chance.happens(0.5)
    case 2:
      return number()
    case 3:
      return []
    case 4:
      return { [hostileText(chance)]: hostileText(chance) }
    case 5:
      return Array.from({ length: chance.pick([1, 6, 11, 1_001, 20_000]) }, () => 1)
    case 6:
      return hostileText(chance).repeat(chance.pick([1, 10, 1_000]))
    case 7:
      return { toString: null, length: 2 ** 32 }
    default:
      return hostileText(chance)
  }
}

/** Changes one value inside a JSON value, in place if possible. */
function mutate(chance: Chance, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || chance.happens(0.15)) {
    return typeof value === 'string' && chance.happens(0.5) ? misspell(chance, value) : strangeValue(chance)
  }
  const names = Object.keys(value)
  const target = value as Record<string, unknown>
  if (names.length === 0 || chance.happens(0.15)) {
    if (Array.isArray(value)) value.push(strangeValue(chance))
    // Like JSON.parse: defines an ordinary field, even if its name is `__proto__`.
    else
      Object.defineProperty(target, hostileText(chance), {
        value: strangeValue(chance),
        enumerable: true,
        writable: true,
        configurable: true,
      })
    return value
  }
  const name = chance.pick(names)
  if (!Array.isArray(value) && chance.happens(0.15)) delete target[name]
  else target[name] = mutate(chance, target[name])
  return value
}

/** Invalid JSON. */
function spoil(chance: Chance, json: string): Buffer {
  const at = chance.below(json.length)
  const deep = chance.pick([10, 1_000, 100_000, 500_000])
  switch (chance.below(14)) {
    case 0:
      return Buffer.from(json.slice(0, at))
    case 1:
      return Buffer.from(`${json}${json}`)
    case 2:
      return Buffer.from(json.replace('{', '{"start":1,"metrics":{},'))
    case 3:
      return Buffer.from('['.repeat(deep) + ']'.repeat(deep))
    case 4:
      return Buffer.from(`{"filters":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`)
    case 5:
      return Buffer.from(
        json.replaceAll(/\d+/g, chance.pick(['1e999', '9'.repeat(400), '-0', '01', '+1', '0x1', '1.'])),
      )
    case 6:
      return Buffer.concat([
        Buffer.from(json.slice(0, at)),
        Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
        Buffer.from(json.slice(at)),
      ])
    case 7:
      return Buffer.from(`\u{feff}${json}`)
    case 8:
      return Buffer.from(json, 'utf16le')
    case 9:
      return Buffer.from(json.replace('{', '{"__proto__":{"limit":1},"constructor":{"prototype":{}},'))
    case 10:
      return Buffer.from(json.replaceAll('"', chance.pick(["'", '\\"', '“'])))
    case 11:
      return Buffer.alloc(
        chance.pick([1, 100, 9_000, 1_048_576, 1_048_577, 1_500_000]),
        chance.pick(['a', '[', ' ', '\0', '"']),
      )
    case 12:
      return Buffer.from(
        json.slice(0, at) + chance.pick(['\0', '\ud800', '\\ud800', '\\u0000', '//', ',', '\u2028']) + json.slice(at),
      )
    default: {
      const bytes = Buffer.from(json)
      for (let count = 0; count < 4; count++) bytes[chance.below(bytes.length)] = chance.below(256)
      return bytes
    }
  }
}

const mediaTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-16',
  'application/json; charset="latin1"; x=y',
  'APPLICATION/JSON',
  'application/problem+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/json, text/plain',
  'application/jsonx',
  '/',
  ';',
  'application/',
  `application/${'x'.repeat(3_000)}`,
  'application/json;'.repeat(200),
  '__proto__',
] as const

const codings = ['gzip', 'deflate', 'br', 'identity', 'gzip, gzip', 'x', '*'] as const

/** A body for a route, from valid to random. */
export function makeBody(chance: Chance, form: Form): Body {
  const valid: unknown = forms[form](chance)
  const kind = chance.next()
  let content: unknown = valid
  if (kind > 0.2) for (let count = 0; count <= chance.below(3); count++) content = mutate(chance, content)
  const json = JSON.stringify(content) ?? ''
  const bytes = kind > 0.75 && json !== '' ? spoil(chance, json) : Buffer.from(json)
  const type = chance.happens(0.9) ? 'application/json' : chance.pick(mediaTypes)
  if (chance.happens(0.95)) return { bytes, headers: [['content-type', type]] }
  const coding = chance.pick(codings)
  const packed = coding === 'br' ? brotliCompressSync(bytes) : gzipSync(bytes)
  return {
    bytes: chance.happens(0.7) ? packed : bytes,
    headers: [
      ['content-type', type],
      ['content-encoding', coding],
    ],
  }
}
