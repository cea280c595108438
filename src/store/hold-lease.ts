import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { endLease, takeLease } from './leases.ts'
import type { Store } from './open-store.ts'

const leaseMs = 20_000
const renewMs = 5_000
const askAgainMs = 500

type Options = {
  readonly signal: AbortSignal
  readonly waitMsMax: number
  readonly now: () => number
  /** Called once, where another has it. */
  readonly onWait: () => void
}

/** Does something while it holds a lease, and waits for it first. The work is told to stop where the lease is lost. */
export async function holdLease<Result>(
  store: Store,
  name: string,
  { signal, waitMsMax, now, onWait }: Options,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const holder = randomUUID()
  const take = (): Promise<boolean> => takeLease(store, { name, holder, now: now(), ms: leaseMs })
  const giveUpAt = performance.now() + waitMsMax
  let until = performance.now() + leaseMs
  let hasWaited = false
  while (!(await take())) {
    if (performance.now() > giveUpAt) throw new Error(`Another process still holds the lease ${name}; try again later.`)
    if (!hasWaited) onWait()
    hasWaited = true
    await delay(askAgainMs, undefined, { signal })
    until = performance.now() + leaseMs
  }
  const lost = new AbortController()
  const renew = async (): Promise<void> => {
    const at = performance.now()
    try {
      // Once over, it stays over, although it could be had again: another may have had it in between.
      if (at < until && (await take())) until = at + leaseMs
      else lost.abort(new Error(`The lease ${name} was lost; try again.`))
    } catch {
      // The lease lasts for several tries.
    }
  }
  let renewing: Promise<void> | undefined
  const timer = setInterval(() => (renewing ??= renew().finally(() => (renewing = undefined))), renewMs)
  try {
    return await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    clearInterval(timer)
    // One that is renewed after it was given back would be nobody's, and keep everybody out.
    await renewing
    await endLease(store, { name, holder }).catch(() => {})
  }
}
