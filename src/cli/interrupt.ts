/** Returns a signal that SIGINT and SIGTERM abort with this message. If the process has not ended then, it is killed. */
export function abortOnInterrupt(message: string, killAfterMs?: number): AbortSignal {
  const stop = new AbortController()
  const interrupt = (): void => {
    stop.abort(new Error(message))
    if (killAfterMs !== undefined) setTimeout(kill, killAfterMs, message).unref()
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  return stop.signal
}

function kill(message: string): void {
  process.stderr.write(`adcube: ${message}\n`)
  // A clean exit would wait for the system call that does not return.
  process.kill(process.pid, 'SIGKILL')
}
