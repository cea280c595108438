import type { Question } from './questions.ts'
import type { Side, Sides } from './sides.ts'

export type Quantiles = { readonly p50Ms: number; readonly p99Ms: number }

export type Latency = {
  readonly account: string
  readonly query: string
  readonly samples: number
  readonly api: Quantiles
  readonly engine: Quantiles
}

type Rate = { readonly requestsASecond: number; readonly requests: number; readonly failures: number }

export type Throughput = { readonly clients: number; readonly api: Rate; readonly engine: Rate }

type Bounds = { readonly seconds: number; readonly signal: AbortSignal }

/** What code not yet compiled and files not yet read cost at first is not what we ask about. */
const warmUpPairs = 50
/** Bounds a step whose requests fail at once. */
const requestsMax = 50_000

/** Warms both sides up, and makes sure that they answer alike: otherwise their times could not be compared. */
export async function warmUp(sides: Sides, questions: readonly Question[], { seconds, signal }: Bounds): Promise<void> {
  const endAt = performance.now() + seconds * 1000
  for (let pair = 0; pair < questions.length || (pair < warmUpPairs && performance.now() < endAt); pair++) {
    signal.throwIfAborted()
    const question = questions[pair % questions.length]!
    const [api, engine] = [await sides.api(question), await sides.engine(question)]
    if (api !== engine || api === '') {
      throw new Error(
        `${question.account.id}, ${question.name}: the API and the engine answer differently:\n${api}\n${engine}`,
      )
    }
  }
}

/**
 * Asks both sides in turn, one request at a time, so that whatever else the machine does hits both alike; who is first
 * alternates, because the second may find warmer caches.
 */
export async function measureLatency(
  sides: Sides,
  question: Question,
  { samples, seconds, signal }: Bounds & { readonly samples: number },
): Promise<Latency> {
  const apiMs: number[] = []
  const engineMs: number[] = []
  const endAt = performance.now() + 2 * seconds * 1000
  for (let pair = 0; pair < samples && (pair === 0 || performance.now() < endAt); pair++) {
    signal.throwIfAborted()
    if (pair % 2 === 0) apiMs.push(await time(sides.api, question))
    engineMs.push(await time(sides.engine, question))
    if (pair % 2 === 1) apiMs.push(await time(sides.api, question))
  }
  return {
    account: question.account.id,
    query: question.name,
    samples: apiMs.length,
    api: quantilesOf(apiMs),
    engine: quantilesOf(engineMs),
  }
}

/** Asks the questions in turn, one at a time, for so long as the time lasts and `goesOn`. */
export async function timeFor(
  side: Side,
  questions: readonly Question[],
  seconds: number,
  goesOn: () => boolean,
): Promise<Quantiles & { readonly samples: number }> {
  const samples: number[] = []
  const endAt = performance.now() + seconds * 1000
  while (samples.length === 0 || (goesOn() && performance.now() < endAt)) {
    samples.push(await time(side, questions[samples.length % questions.length]!))
  }
  return { samples: samples.length, ...quantilesOf(samples) }
}

async function time(side: Side, question: Question): Promise<number> {
  const startMs = performance.now()
  await side(question)
  return performance.now() - startMs
}

/** By nearest rank, so that every figure is one that was measured. */
function quantilesOf(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
  return { p50Ms: rank(0.5), p99Ms: rank(0.99) }
}

/** Each side has two turns of half the time, in the order API, engine, engine, API: a drift then hits both alike. */
export async function measureThroughput(
  sides: Sides,
  questions: readonly Question[],
  { clients, seconds, signal }: Bounds & { readonly clients: number },
): Promise<Throughput> {
  const turn = (side: Side): Promise<Turn> => takeTurn(side, questions, { clients, seconds: seconds / 2, signal })
  const apiFirst = await turn(sides.api)
  const engine = [await turn(sides.engine), await turn(sides.engine)]
  const api = [apiFirst, await turn(sides.api)]
  return { clients, api: rateOf(api), engine: rateOf(engine) }
}

type Turn = { readonly requests: number; readonly failures: number; readonly seconds: number }

/** Clients that each send the next question as soon as they have an answer, until the time is up. */
async function takeTurn(
  side: Side,
  questions: readonly Question[],
  { clients, seconds, signal }: Bounds & { readonly clients: number },
): Promise<Turn> {
  const startMs = performance.now()
  const endAt = startMs + seconds * 1000
  let sent = 0
  let failures = 0
  const client = async (): Promise<void> => {
    do {
      const question = questions[sent++ % questions.length]!
      try {
        await side(question)
      } catch {
        signal.throwIfAborted()
        failures++
      }
    } while (performance.now() < endAt && sent < requestsMax)
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { requests: sent, failures, seconds: (performance.now() - startMs) / 1000 }
}

/** Only answers count towards the rate. */
function rateOf(turns: readonly Turn[]): Rate {
  const sum = (of: (turn: Turn) => number): number => turns.reduce((total, turn) => total + of(turn), 0)
  const requests = sum((turn) => turn.requests)
  const failures = sum((turn) => turn.failures)
  return { requestsASecond: (requests - failures) / sum((turn) => turn.seconds), requests, failures }
}
