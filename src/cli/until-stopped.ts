import type { Logger } from 'pino'

/** What is open, to be closed in this order; whoever opens something puts its closing at the front. */
export type Closers = (() => Promise<unknown>)[]

/** Starts something, waits for a signal, and closes what is open, whenever the signal comes. */
export async function untilStopped(log: Logger, start: (closers: Closers) => Promise<void>): Promise<number> {
  const closers: Closers = []
  const stopped = new Promise<void>((resolve) => {
    let isStopping = false
    const stop = (signal: NodeJS.Signals): void => {
      // Whoever asks twice does not want to wait; the engine ends by itself when we are gone.
      if (isStopping) process.exit(1)
      isStopping = true
      log.info({ signal }, 'stopping')
      resolve()
    }
    process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', stop)
  })
  const started = start(closers)
  try {
    await Promise.race([stopped, started.then(() => stopped)])
  } finally {
    // A start that was stopped half-way fails because of that, and is nobody's error any more.
    started.catch(() => {})
    for (const close of closers) await close()
  }
  // Whatever a start that was stopped half-way still waits for is not waited for.
  process.exit(0)
}
