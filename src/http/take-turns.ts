import { setImmediate } from 'node:timers/promises'

/**
 * A hook that lets one request in with each turn of the event loop. Of hundreds that arrive at once, each takes a
 * millisecond; handled all in one turn, probes and everybody else would wait for the last of them.
 */
export function takeTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => (last = last.then(() => setImmediate()))
}
