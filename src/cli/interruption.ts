/** Aborts when the one who runs a command interrupts it; the words are the error's. */
export function onInterrupt(words: string): AbortSignal {
  const stop = new AbortController()
  const interrupt = (): void => stop.abort(new Error(words))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  return stop.signal
}
