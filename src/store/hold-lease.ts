import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from './open-store.ts'

type Lease = { readonly name: string; readonly holder: string }

/** If a process dies, another takes over after this long. */
const leaseMs = 30_000
const renewMs = 5_000
const askAgainMs = 500

/** Takes or renews a lease; returns false while another holder has it. */
export async function takeLease(
  store: Store,
  { name, holder, now, ms }: Lease & { readonly now: number; readonly ms: number },
): Promise<boolean> {
  const until = now + ms
  const { numInsertedOrUpdatedRows } = await store
    .insertInto('leases')
    .values({ name, holder, until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, until })
        .where((sql) => sql.or([sql('leases.holder', '=', holder), sql('leases.until', '<=', now)])),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Gives a lease back before its time, unless another holder has it by now. */
export async function endLease(store: Store, { name, holder }: Lease): Promise<void> {
  await store.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
}

/** Deletes leases that were taken while the clock was ahead. A living holder takes its own again. */
export async function dropImpossibleLeases(store: Store, now: number): Promise<void> {
  await store
    .deleteFrom('leases')
    .where('until', '>', now + 2 * leaseMs)
    .execute()
}

type Options = { readonly signal: AbortSignal; readonly now: () => number }

type Work<Result> = (held: {
  /** Aborted when the lease is lost, or with the signal of the options. */
  readonly signal: AbortSignal
  /** Throws then, and also if the process slept for so long that another may have the lease. */
  readonly throwIfOver: () => void
}) => Promise<Result>

/** Does work while this process holds a lease; returns undefined if another process has it. */
export async function tryLease<Result>(
  store: Store,
  name: string,
  { signal, now }: Options,
  work: Work<Result>,
): Promise<{ readonly result: Result } | undefined> {
  const holder = randomUUID()
  const take = (at: number): Promise<boolean> => takeLease(store, { name, holder, now: at, ms: leaseMs })
  const takenAt = now()
  if (!(await take(takenAt))) return undefined
  let until = takenAt + leaseMs
  const lost = new AbortController()
  const lose = (): void => lost.abort(new Error(`The lease ${name} was lost; try again.`))
  const renew = async (): Promise<void> => {
    const at = now()
    // A lease that has run out cannot be renewed: another process may have had it in between.
    if (at >= until) return lose()
    // If the database does not answer, the lease lasts for several more tries.
    const isTaken = await take(at).catch(() => undefined)
    if (isTaken === false) lose()
    if (isTaken === true) until = at + leaseMs
  }
  let renewing: Promise<void> | undefined
  const timer = setInterval(() => (renewing ??= renew().finally(() => (renewing = undefined))), renewMs)
  const held = AbortSignal.any([signal, lost.signal])
  const throwIfOver = (): void => {
    if (now() >= until) lose()
    held.throwIfAborted()
  }
  try {
    return { result: await work({ signal: held, throwIfOver }) }
  } finally {
    clearInterval(timer)
    // A renewal after the end would take the lease for nobody.
    await renewing
    await endLease(store, { name, holder }).catch(() => {})
  }
}

/** Does work while this process holds a lease, and waits for it first. */
export async function holdLease<Result>(
  store: Store,
  name: string,
  {
    waitMsMax,
    onWait,
    ...options
  }: Options & {
    readonly waitMsMax: number
    /** Called once, if another process has the lease. */
    readonly onWait: () => void
  },
  work: Work<Result>,
): Promise<Result> {
  const giveUpAt = performance.now() + waitMsMax
  for (let tries = 1; ; tries++) {
    const done = await tryLease(store, name, options, work)
    if (done) return done.result
    if (performance.now() > giveUpAt) throw new Error(`Another process still holds the lease ${name}; try again later.`)
    if (tries === 1) onWait()
    await delay(askAgainMs, undefined, { signal: options.signal })
  }
}
