import { send, synchronousPath } from './api.ts'
import type { Answers, Asked, Orders } from './rates.ts'

/** Requests before the measurement, which run code that is not compiled yet. */
const warmUpSeconds = 1.5

function* repeat(requests: readonly Asked[]): Generator<Asked> {
  for (;;) yield* requests
}

process.once('message', async ({ requests, clients, seconds }: Orders) => {
  const ask = async (secondsMax: number): Promise<Answers> => {
    const startedAt = performance.now()
    const ms: number[] = []
    const statuses: Record<string, number> = {}
    const turns = seconds === undefined ? requests.values() : repeat(requests)
    const work = async (): Promise<void> => {
      for (const { body, ...caller } of turns) {
        const answer = await send(caller, synchronousPath, body)
        ms.push(answer.ms)
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
        if (performance.now() > startedAt + secondsMax * 1_000) return
      }
    }
    await Promise.all(Array.from({ length: clients }, work))
    return { ms, seconds: (performance.now() - startedAt) / 1_000, statuses }
  }
  if (seconds !== undefined) await ask(warmUpSeconds)
  process.send?.(await ask(seconds ?? Infinity), () => process.exit(0))
})
