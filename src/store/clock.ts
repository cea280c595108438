import { sql } from 'kysely'
import type { Store } from './open-store.ts'
import { isPostgres } from './postgres.ts'

const measureMs = 5_000
/** An answer that took longer says too little about the time. */
const answerMsMax = 2_000

export type Clock = { readonly now: () => number; stop(): void }

type Offset = {
  readonly ms: number
  /** PostgreSQL read its clock at some moment between the question and the answer. */
  readonly errorMs: number
}

/** Reads the time once; see `openClock`. */
export async function readTime(store: Store, localNow = Date.now): Promise<number> {
  return isPostgres(store) ? localNow() + (await measureOffset(store, localNow)).ms : localNow()
}

/**
 * Opens the clock of all processes that share the store: with PostgreSQL the database's, with SQLite this machine's. The
 * distance to PostgreSQL's clock is measured every few seconds. While the database does not answer, the last one counts.
 */
export async function openClock(store: Store, localNow = Date.now): Promise<Clock> {
  if (!isPostgres(store)) return { now: localNow, stop: () => {} }
  let offset = await measureOffset(store, localNow)
  const measure = async (): Promise<void> => {
    const measured = await measureOffset(store, localNow)
    // A difference within the error may be none, and following it would make the clock unsteady.
    const isNews = Math.abs(measured.ms - offset.ms) > measured.errorMs
    if (isNews && 2 * measured.errorMs <= answerMsMax) offset = measured
  }
  let measuring: Promise<void> | undefined
  const timer = setInterval(
    () =>
      (measuring ??= measure()
        .catch(() => {})
        .finally(() => (measuring = undefined))),
    measureMs,
  )
  timer.unref()
  return { now: () => localNow() + offset.ms, stop: () => clearInterval(timer) }
}

async function measureOffset(store: Store, localNow: () => number): Promise<Offset> {
  const askedAt = performance.now()
  const { rows } = await sql<{ now: number }>`
    SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS now`.execute(store)
  const errorMs = (performance.now() - askedAt) / 2
  return { ms: Math.round(Number(rows[0]?.now) + errorMs - localNow()), errorMs }
}
