import { chanceFor } from './chance.ts'
import type { makeInspector } from './check-answer.ts'
import { Connection, open } from './connection.ts'
import { sendRaw } from './raw.ts'
import { makeRequest, type FuzzRequest } from './requests.ts'
import type { World } from './world.ts'

type Options = {
  readonly port: number
  readonly seed: number
  /** Indexes of the requests to send. */
  readonly from: number
  readonly to: number
  readonly endAt: number
  readonly world: World
  readonly inspect: Awaited<ReturnType<typeof makeInspector>>['inspect']
  /** Called after each thousand requests. */
  readonly onProgress?: (sent: number) => void
}

/** Results: counts, and problems. */
export type Findings = {
  sent: number
  /** Answers to queries of the account `asker`. */
  rowAnswers: number
  readonly statuses: Map<string, number>
  readonly faults: string[]
}

const clients = 24
const faultsMax = 50
/** Requests from one address, on one connection if the server keeps it open. */
const shotsOfConnection = 100
/** More than a connection can buffer. */
const largeBytes = 16_384
/** Share of requests with a connection of their own, because the server closes it after them. */
const rawShare = 0.1

/** Sends requests from many clients at once, and checks every answer. */
export async function sendRequests(options: Options): Promise<Findings> {
  const { port, seed, world, inspect } = options
  const findings: Findings = { sent: 0, rowAnswers: 0, statuses: new Map(), faults: [] }
  const note = (text: string): void => void findings.statuses.set(text, (findings.statuses.get(text) ?? 0) + 1)
  const blame = (request: FuzzRequest, fault: string): void => {
    const sent = JSON.stringify(request.bytes.toString('latin1').slice(0, 700))
    if (findings.faults.length < faultsMax) findings.faults.push(`request ${request.index}: ${fault}\n    ${sent}`)
  }
  let next = options.from

  const sendFramed = async (request: FuzzRequest, connection: Connection, isReused: boolean): Promise<void> => {
    const isHead = request.method === 'HEAD'
    connection.write(request.bytes)
    const answer = await connection.read(isHead)
    note(typeof answer === 'string' ? answer : String(answer.status))
    if (answer === 'closed' && isReused) {
      // The server may close a connection between two requests, so try again on another one.
      const another = new Connection(open(port))
      await sendFramed(request, another, false)
      return another.close()
    }
    // A request that is refused while being sent may see a reset instead of the answer (RFC 9112, 9.6).
    if (answer === 'closed' && request.bytes.length > largeBytes) return undefined
    if (typeof answer === 'string') return blame(request, `no answer: ${answer}`)
    const fault = inspect(answer, request.by, isHead)
    if (fault !== undefined) blame(request, fault)
    if (request.by === 'asker' && answer.body.includes('"data_through":')) findings.rowAnswers++
    if (answer.status === 201 || answer.status === 202) world.noteMade(answer.body.toString())
    // If the session has ended, sign in again for the next requests.
    if (answer.status === 401 && request.person) await world.renewSession(request.person)
  }

  const work = async (): Promise<void> => {
    let connection: Connection | undefined
    let used = 0
    while (next < options.to && Date.now() < options.endAt && findings.faults.length < faultsMax) {
      const index = next++
      const request = makeRequest(seed, index, world)
      const chance = chanceFor(seed ^ 0x5eed, index)
      if (request.method !== 'HEAD' && chance.happens(rawShare)) {
        const { name, answers, fault } = await sendRaw(port, seed, request)
        note(`${name}: ${answers[0]?.status ?? '-'}`)
        const faults = [fault, ...answers.map((answer) => inspect(answer, request.by, false))]
        for (const each of faults) if (each !== undefined) blame(request, `${name}: ${each}`)
      } else {
        if (!connection?.isUsable || used >= shotsOfConnection) {
          connection?.close()
          connection = new Connection(open(port, chance))
          used = 0
        }
        used++
        await sendFramed(request, connection, used > 1)
      }
      if (++findings.sent % 1_000 === 0) options.onProgress?.(findings.sent)
    }
    connection?.close()
  }
  await Promise.all(Array.from({ length: clients }, work))
  return findings
}
