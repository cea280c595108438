import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { endLease, takeLease } from '../store/leases.ts'
import type { Store } from '../store/open-store.ts'

/** Work that one process at a time does for all that share the control data. */
export type Chore = {
  /** Of its lease, too. */
  readonly name: string
  readonly everyMs: number
  /** Calls `throwIfOver` before each step: it throws when the process stops, or when another may have taken over. */
  run(throwIfOver: () => void): Promise<void>
}

type Deps = { readonly store: Store; readonly log: Logger; readonly now: () => number }

/** A process that dies is replaced after this long; one that lives says so six times as often. */
const leaseMs = 30_000
const renewMs = 5_000
/** First of all a server has better things to do. */
const firstMs = 60_000
const stopMsMax = 1_000

/** Does chores in the background, each at its own pace, until it is stopped. */
export function keepHouse(deps: Deps, chores: readonly Chore[]): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const holder = randomUUID()

  const repeat = async (chore: Chore): Promise<void> => {
    let pauseMs = Math.min(firstMs, chore.everyMs)
    for (;;) {
      await delay(pauseMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      try {
        await doChore(deps, chore, { holder, signal })
        pauseMs = chore.everyMs
      } catch (error) {
        pauseMs = Math.min(firstMs, chore.everyMs)
        if (!signal.aborted) deps.log.warn({ err: error, chore: chore.name }, 'chore failed; retrying')
      }
    }
  }
  const done = Promise.all(chores.map(repeat))
  return {
    async stop() {
      stopping.abort(new Error('the process stops'))
      // A step that takes longer ends with the process. Its lease is not given back, so nobody else begins meanwhile.
      await Promise.race([done, delay(stopMsMax, undefined, { ref: false })])
    },
  }
}

/** Does a chore unless another process is at it. */
async function doChore(
  { store, now }: Deps,
  chore: Chore,
  { holder, signal }: { readonly holder: string; readonly signal: AbortSignal },
): Promise<void> {
  const take = (at: number): Promise<boolean> => takeLease(store, { name: chore.name, holder, now: at, ms: leaseMs })
  const begunAt = now()
  if (!(await take(begunAt))) return
  let until = begunAt + leaseMs
  const renew = async (): Promise<void> => {
    const at = now()
    // Once over, it stays over, although it could be had again: another may have done the chore in between.
    if (at >= until) return
    try {
      until = (await take(at)) ? at + leaseMs : 0
    } catch {
      // The lease lasts for several tries.
    }
  }
  let renewing: Promise<void> | undefined
  const timer = setInterval(() => (renewing ??= renew().finally(() => (renewing = undefined))), renewMs)
  try {
    await chore.run(() => {
      signal.throwIfAborted()
      if (now() >= until) throw new Error('the lease ran out')
    })
  } finally {
    clearInterval(timer)
    // One that is renewed after it was given back would be nobody's, and keep everybody out.
    await renewing
    await endLease(store, { name: chore.name, holder })
  }
}
