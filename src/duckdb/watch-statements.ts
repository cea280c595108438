import type { DuckDBConnection } from '@duckdb/node-api'

const interruptMs = 50
const progressMs = 500

/**
 * Interrupts what runs on the connections from the moment the signal is given until it is disposed of. An interruption
 * that comes between two statements, or while one is planned, is lost, so it is repeated.
 */
export function interruptOn(signal: AbortSignal, connections: readonly DuckDBConnection[]): Disposable {
  let timer: NodeJS.Timeout | undefined
  const interrupt = (): void => {
    for (const connection of connections) connection.interrupt()
    timer = setTimeout(interrupt, interruptMs)
  }
  if (signal.aborted) interrupt()
  else signal.addEventListener('abort', interrupt, { once: true })
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', interrupt)
    },
  }
}

/** Reports the share of the statement on a connection that is done, from 0 to 1, until it is disposed of. */
export function watchProgress(connection: DuckDBConnection, onProgress: (share: number) => void): Disposable {
  const timer = setInterval(() => onProgress(Math.max(0, connection.progress.percentage) / 100), progressMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
