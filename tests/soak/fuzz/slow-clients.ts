import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { chanceFor } from './chance.ts'
import type { makeInspector } from './check-answer.ts'
import { Connection, open } from './connection.ts'
import { makeRequest } from './requests.ts'
import type { World } from './world.ts'

type Options = {
  readonly port: number
  readonly seed: number
  readonly world: World
  readonly inspect: Awaited<ReturnType<typeof makeInspector>>['inspect']
  readonly signal: AbortSignal
}

const tricklers = 20
const stalled = 100
const ignoring = 50
/** Requests on each of these connections, for answers that are larger than what a connection can buffer. */
const ignored = 64
/** Requests must arrive within 30 s, which is checked every 5. */
const stallMsMax = 60_000

/** Sends requests byte by byte until the signal fires. Returns the problems and the number of answers. */
export async function trickle({ port, seed, world, inspect, signal }: Options) {
  const faults: string[] = []
  let answered = 0
  const work = async (_: unknown, client: number): Promise<void> => {
    for (let round = 0; !signal.aborted; round++) {
      const index = -1 - client - round * tricklers
      const request = makeRequest(seed, index, world)
      if (request.bytes.length > 2_000) continue
      const isHead = request.method === 'HEAD'
      const send = async () => {
        const connection = new Connection(open(port, chanceFor(seed, index)))
        for (const byte of request.bytes) {
          connection.write(Buffer.from([byte]))
          await delay(1)
        }
        const answer = await connection.read(isHead)
        connection.close()
        return answer
      }
      // A request that is refused while being sent may see a reset instead of the answer (RFC 9112, 9.6).
      const first = await send()
      const answer = first === 'closed' ? await send() : first
      const fault = typeof answer === 'string' ? `no answer, ${answer}` : inspect(answer, request.by, isHead)
      if (fault === undefined) answered++
      else faults.push(`slow request ${index}: ${fault}\n    ${JSON.stringify(request.bytes.toString('latin1'))}`)
    }
  }
  await Promise.all(Array.from({ length: tricklers }, work))
  return { faults, answered }
}

/** Starts requests and does not finish them. The server must end each. Returns the problems. */
export async function stall({ port, seed, world, inspect }: Options): Promise<readonly string[]> {
  const faults = await Promise.all(
    Array.from({ length: stalled }, async (_, client) => {
      const index = -1_000_000 - client
      const chance = chanceFor(seed, index)
      const request = makeRequest(seed, index, world)
      const connection = new Connection(open(port, chance))
      connection.write(request.bytes.subarray(0, 1 + chance.below(request.bytes.length - 1)))
      const { answers, end } = await connection.readAll(stallMsMax)
      connection.close()
      if (end === 'silent') return `stalled request ${index} was not ended`
      return answers.map((answer) => inspect(answer, request.by, false)).find((fault) => fault !== undefined)
    }),
  )
  return faults.filter((fault) => fault !== undefined)
}

/** Sends requests without reading the answers, until the server closes the connection, over and over. */
export async function ignoreAnswers({ port, seed, signal }: Options): Promise<void> {
  const work = async (_: unknown, client: number): Promise<void> => {
    while (!signal.aborted) {
      const socket = open(port, chanceFor(seed, -2_000_000 - client)).on('error', () => {})
      socket.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(ignored))
      await once(socket, 'close', { signal }).catch(() => {})
      socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: ignoring }, work))
}
