import type { Logger } from 'pino'

/** Starts a service, waits for a signal, and then closes what was opened, also if the signal comes during the start. */
export async function untilStopped(
  log: Logger,
  start: (opened: AsyncDisposableStack) => Promise<void>,
): Promise<never> {
  const opened = new AsyncDisposableStack()
  const stopped = new Promise<void>((resolve) => {
    let isStopping = false
    const stop = (signal: NodeJS.Signals): void => {
      // A second signal does not wait for requests in flight. The query process ends when this process is gone.
      if (isStopping) process.exit(1)
      isStopping = true
      log.info({ signal }, 'stopping')
      resolve()
    }
    process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', stop)
  })
  const started = start(opened)
  try {
    await Promise.race([stopped, started.then(() => stopped)])
  } finally {
    // Closing makes a start that is still under way fail.
    started.catch(() => {})
    await opened.disposeAsync()
  }
  // Does not wait for what such a start still waits for.
  process.exit(0)
}
