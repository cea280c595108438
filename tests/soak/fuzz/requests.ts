import { METHODS } from 'node:http'
import { generateKey } from '../../../src/access/key-form.ts'
import { makeBody, type Body, type Form } from './bodies.ts'
import { chanceFor, type Chance } from './chance.ts'
import { makeHeaders } from './headers.ts'
import { spoilPath } from './paths.ts'
import type { AccountName, SignedIn, World } from './world.ts'

type Header = readonly [string, string]

/** One request. Its seed and index make it again, except for the keys and ids of the run. */
export type FuzzRequest = {
  readonly index: number
  readonly method: string
  readonly path: string
  readonly bytes: Buffer
  /** The account that the request is authenticated for, if any. */
  readonly by: AccountName | undefined
  /** The person whose session it uses. */
  readonly person: SignedIn | undefined
}

type Route = {
  readonly methods: readonly string[]
  readonly path: (chance: Chance, world: World) => string
  readonly body?: Form
  readonly isConsole?: true
  readonly endsSession?: true
}

/** An id from an earlier answer, of the victim, or unknown. */
function anyId(chance: Chance, prefix: string, made: readonly string[], victims: string): string {
  const ours = made.filter((id) => id.startsWith(prefix))
  const kind = chance.next()
  if (kind < 0.4 && ours.length > 0) return chance.pick(ours)
  return kind < 0.7
    ? victims
    : `${prefix}_${chance
        .below(2 ** 32)
        .toString(16)
        .padStart(32, '0')}`
}

const cubeParameter = (chance: Chance): string =>
  chance.happens(0.9) ? `?cube=${chance.pick(['auctions', 'platform-performance', 'publisher_auctions_cube'])}` : ''

const jobOf = (download: string): string => download.split('/')[2] ?? ''
const anyJob = (chance: Chance, { made, reports }: World): string => anyId(chance, 'job', made, jobOf(reports.victim))

/** Download addresses: a valid one, and mixtures of two. */
function downloadPath(chance: Chance, { reports }: World): string {
  if (chance.happens(0.5)) return reports.asker
  const [path = '', query = ''] = reports.asker.split('?')
  const parts = path.split('/')
  const swapped = [
    parts[0],
    parts[1],
    chance.pick([jobOf(reports.victim), parts[2]]),
    chance.pick([parts[3], 'x.csv', '..']),
  ]
  const expiry = chance.pick(['9999999999', '0', '-1', '1e9', '999999999999', ''])
  return `${swapped.join('/')}?${chance.happens(0.5) ? query : query.replace(/expires=\d+/, `expires=${expiry}`)}`
}

const routes: readonly Route[] = [
  { methods: ['POST'], path: (chance) => `/v2/data/synchronous${cubeParameter(chance)}`, body: 'query' },
  { methods: ['POST'], path: (chance) => `/v2/data/synchronous${cubeParameter(chance)}`, body: 'query' },
  { methods: ['POST'], path: (chance) => `/v2/data/synchronous${cubeParameter(chance)}`, body: 'query' },
  { methods: ['POST'], path: (chance) => `/v2/data/asynchronous${cubeParameter(chance)}`, body: 'query' },
  { methods: ['GET', 'HEAD'], path: (chance) => `/v2/data${cubeParameter(chance)}` },
  { methods: ['GET', 'HEAD'], path: () => '/v2/data/metadata' },
  {
    methods: ['GET', 'DELETE'],
    path: (chance, world) =>
      `/v2/data/status${chance.pick(['', '?jobStatus=success', `?jobId=${anyJob(chance, world)}`, '?jobStatus=x'])}`,
  },
  { methods: ['GET', 'HEAD', 'GET'], path: downloadPath },
  { methods: ['GET', 'HEAD'], path: (chance) => chance.pick(['/healthz', '/readyz', '/metrics', '/', '/favicon.ico']) },
  { methods: ['GET', 'PUT'], path: () => '/v2/line-items' },
  { methods: ['POST'], path: () => '/v2/creatives/image_upload', body: 'query' },
  {
    methods: ['POST', 'POST', 'GET'],
    path: (chance) => chance.pick(['/mcp', '/mcp', '/mcp', '/nothing', '/console/nothing']),
    body: 'messages',
  },
  { methods: ['GET', 'POST'], path: (chance) => `/v${chance.pick([0, 1, 3, 22, '', '2.0', '-2', 'two'])}/data` },
  { methods: ['POST', 'GET'], path: () => '/console/api/session', body: 'signIn', isConsole: true },
  { methods: ['DELETE'], path: () => '/console/api/session', isConsole: true, endsSession: true },
  { methods: ['DELETE'], path: () => '/console/api/sessions', isConsole: true, endsSession: true },
  { methods: ['POST'], path: () => '/console/api/password', body: 'password', isConsole: true },
  { methods: ['POST'], path: () => '/console/api/invitation', body: 'invitation', isConsole: true },
  { methods: ['GET', 'POST'], path: () => '/console/api/keys', body: 'key', isConsole: true },
  {
    methods: ['DELETE'],
    path: (chance, { victimKey, made }) => `/console/api/keys/${anyId(chance, 'key', made, victimKey)}`,
    isConsole: true,
  },
  { methods: ['GET', 'POST'], path: (chance) => `/console/api/people?limit=${chance.below(102)}`, isConsole: true },
  { methods: ['POST'], path: () => '/console/api/people', body: 'person', isConsole: true },
  {
    methods: ['PATCH', 'DELETE'],
    path: (chance, { people, made }) =>
      `/console/api/people/${anyId(chance, 'per', [...made, people.leaver.id], people.victim.id)}`,
    body: 'role',
    isConsole: true,
  },
  {
    methods: ['GET'],
    path: (chance) => `/console/api/audit${chance.pick(['', '?limit=100', '?before=7', '?before=2147483648'])}`,
    isConsole: true,
  },
]

/** Node does not pass CONNECT to the service. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

export function makeRequest(seed: number, index: number, world: World): FuzzRequest {
  const chance = chanceFor(seed, index)
  const route = chance.pick(routes)
  const plainPath = route.path(chance, world)
  const path = chance.happens(0.8) ? plainPath : spoilPath(chance, plainPath)
  const method = chance.happens(0.93) ? chance.pick(route.methods) : chance.pick([...methods, 'BREW', 'get', 'GETS'])
  const mayHaveBody = route.body !== undefined && !['GET', 'HEAD', 'DELETE'].includes(method)
  const body = mayHaveBody || chance.happens(0.03) ? makeBody(chance, route.body ?? 'query') : undefined
  const { headers, by, person } = makeCredentials(chance, world, route)
  const isDownload = plainPath.startsWith('/reports/')
  return assemble(chance, {
    index,
    method,
    path,
    headers: [...headers, ...makeHeaders(chance)],
    body,
    by: isDownload ? 'asker' : by,
    person,
  })
}

const spoiltCookies = [
  'adcube=',
  'adcube="',
  `adcube=${'x'.repeat(43)}`,
  'adcube=%00',
  ';;;=;',
  '__proto__=1',
  'adcube=a; adcube=b',
] as const

/** Mostly valid credentials, because requests without them are refused before they reach any other code. */
function makeCredentials(
  chance: Chance,
  { keys, sessions }: World,
  { isConsole, endsSession }: Route,
): { readonly headers: readonly Header[]; readonly by: AccountName | undefined; readonly person?: SignedIn } {
  const key = (text: string, by?: AccountName) => {
    const header = chance.happens(0.9) ? (['x-api-key', text] as const) : (['authorization', `Bearer ${text}`] as const)
    return { headers: [header, ['accept', 'application/json, text/event-stream'] as const], by }
  }
  const signedIn = (person: SignedIn) => ({
    headers: [['cookie', `adcube=${sessions[person]}`] as const],
    by: 'people' as const,
    person,
  })
  const kind = chance.next()
  if (isConsole) {
    if (kind < 0.9) return signedIn(endsSession ? 'leaver' : kind < 0.75 ? 'administrator' : 'member')
    return { headers: [['cookie', chance.pick(spoiltCookies)]], by: undefined }
  }
  if (kind < 0.75) return key(keys.asker, 'asker')
  if (kind < 0.85) return key(keys.narrow, 'narrow')
  if (kind < 0.9) return { headers: [], by: undefined }
  return key(
    chance.pick([
      keys.expired,
      keys.deleted,
      keys.disabled,
      generateKey(),
      `${keys.asker}x`,
      'adc_',
      '\u00ff',
      '__proto__',
    ]),
  )
}

type Parts = {
  readonly index: number
  readonly method: string
  readonly path: string
  readonly headers: readonly Header[]
  readonly body: Body | undefined
  readonly by: AccountName | undefined
  readonly person: SignedIn | undefined
}

/** The bytes to send. The end of the request is always unambiguous. */
function assemble(chance: Chance, { index, method, path, headers, body, by, person }: Parts): FuzzRequest {
  const isChunked = body !== undefined && chance.happens(0.1)
  const framing: readonly Header[] =
    body === undefined
      ? []
      : isChunked
        ? [['transfer-encoding', 'chunked']]
        : [['content-length', String(body.bytes.length)]]
  const lines = [['host', '127.0.0.1'] as const, ...headers, ...(body?.headers ?? []), ...framing]
  const head = Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    'latin1',
  )
  const content = body === undefined ? [] : isChunked ? chunk(chance, body.bytes) : [body.bytes]
  return { index, method, path, bytes: Buffer.concat([head, ...content]), by, person }
}

function chunk(chance: Chance, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const size = Math.max(1, chance.below(chance.pick([2, 100, 100_000])))
    const piece = bytes.subarray(at, at + size)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
    at += size
    // Do not send a body of a megabyte byte by byte.
    if (pieces.length > 300) {
      const rest = bytes.subarray(at)
      if (rest.length > 0) pieces.push(Buffer.from(`${rest.length.toString(16)}\r\n`), rest, Buffer.from('\r\n'))
      break
    }
  }
  return [...pieces, Buffer.from(chance.happens(0.9) ? '0\r\n\r\n' : '0\r\nx-trailer: 1\r\n\r\n')]
}
