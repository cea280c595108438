import { generateKey } from '../../../src/access/key-form.ts'
import { hostilePattern } from './texts.ts'
import { chanceFor, type Chance } from './chance.ts'
import { Connection, open } from './connection.ts'
import type { makeInspector } from './check-answer.ts'
import { knownQuery, type AccountName, type World } from './world.ts'

/** A kind of request that one client repeats on one connection, as fast as it is answered. */
type Attack = {
  readonly clients: number
  /** Requests that are sent at once, before any is answered. */
  readonly pipelined?: number
  readonly by?: AccountName
  readonly request: (chance: Chance, world: World) => Buffer
}

const send = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = ''): Buffer => {
  const bytes = Buffer.byteLength(body)
  const all = {
    host: 'x',
    ...headers,
    ...(bytes > 0 && { 'content-type': 'application/json', 'content-length': bytes }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

const megabyte = 1_000_000
const nested = [
  '['.repeat(megabyte / 2) + ']'.repeat(megabyte / 2),
  `${'{"a":'.repeat(megabyte / 6)}1${'}'.repeat(megabyte / 6)}`,
]
const anyPath = ['/nothing', '/v2/data/synchronous?cube=auctions', '/console/api/session', '/mcp', '/v2/nothing']
const cheapPaths = ['/', '/healthz', '/v2/data', '/v2/data/metadata', '/nothing', '/reports/x/y.csv']
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const mcpHeaders = { accept: 'application/json, text/event-stream' }

const attacks: Readonly<Record<string, Attack>> = {
  pipeline: { clients: 1, pipelined: 20_000, request: (chance) => send('GET', chance.pick(cheapPaths)) },
  /** Of callers without a key. */
  body: { clients: 2, request: (chance) => send('POST', chance.pick(anyPath), {}, chance.pick(nested)) },
  pattern: {
    clients: 4,
    by: 'attacker',
    request(chance, { keys }) {
      const like = () => ({ field: 'App Name', operator: 'like', value: hostilePattern(chance) })
      const body = { ...knownQuery, filters: Array.from({ length: 1 + chance.below(5) }, like) }
      return send('POST', '/v2/data/synchronous?cube=auctions', { 'x-api-key': keys.attacker }, JSON.stringify(body))
    },
  },
  mcp: {
    clients: 4,
    by: 'asker',
    request(chance, { keys }) {
      const body = chance.happens(0.8) ? ping : Array.from({ length: chance.pick([10, 1_000]) }, () => ping)
      return send('POST', '/mcp', { ...mcpHeaders, 'x-api-key': keys.asker }, JSON.stringify(body))
    },
  },
  'sign-in': {
    clients: 4,
    request(chance, world) {
      const email = chance.pick([world.email, `person-${chance.below(1_000)}@fuzz.example`])
      const body = JSON.stringify({ email, password: `guess ${chance.below(1_000)}` })
      return send('POST', '/console/api/session', {}, body)
    },
  },
  /** Well-formed keys that do not exist. */
  key: {
    clients: 4,
    request: (chance) => send('GET', chance.pick(['/v2/data', '/mcp']), { 'x-api-key': generateKey() }),
  },
}

type Options = {
  readonly port: number
  readonly seed: number
  readonly world: World
  readonly inspect: Awaited<ReturnType<typeof makeInspector>>['inspect']
  readonly signal: AbortSignal
}

const faultsMax = 10

/** Attacks with all kinds at once until the signal fires. Returns the answers by kind and status, and the problems. */
export async function attack({ port, seed, world, inspect, signal }: Options) {
  const statuses = new Map<string, number>()
  const faults: string[] = []
  let sent = 0

  const work = async (name: string, { pipelined = 1, by, request }: Attack, client: number): Promise<void> => {
    const chance = chanceFor(~seed, client)
    const connect = () => new Connection(open(port, chance))
    let connection = connect()
    while (!signal.aborted && faults.length < faultsMax) {
      if (!connection.isUsable) {
        connection.close()
        connection = connect()
      }
      const bytes = request(chance, world)
      connection.write(pipelined === 1 ? bytes : Buffer.concat(Array<Buffer>(pipelined).fill(bytes)))
      sent += pipelined
      for (let answered = 0; answered < pipelined; answered++) {
        const answer = await connection.read()
        const status = typeof answer === 'string' ? answer : String(answer.status)
        statuses.set(`${name}: ${status}`, (statuses.get(`${name}: ${status}`) ?? 0) + 1)
        // The server may refuse a request before it has read all of it.
        if (answer === 'closed') break
        const fault = answer === 'silent' ? 'no answer' : inspect(answer, by, false)
        if (fault !== undefined) faults.push(`${name}: ${fault}\n    ${bytes.toString('latin1').slice(0, 700)}`)
      }
    }
    connection.close()
  }
  await Promise.all(
    Object.entries(attacks).flatMap(([name, each], kind) =>
      Array.from({ length: each.clients }, (_, client) => work(name, each, kind * 100 + client)),
    ),
  )
  return { sent, statuses, faults }
}
