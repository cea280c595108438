import type { Logger } from 'pino'
import { loadDemo } from '../../demo/load-demo.ts'
import type { LoadDeps } from '../../ingest/load-facts.ts'
import { ProgressBar } from '../progress-bar.ts'

/** In a new data folder, these days are made before the service is ready, and older ones in the background. */
const daysAtStart = 62

/** Makes the newest days of sample data; returns false if the data folder has data of others. */
export function makeDemo(deps: LoadDeps, opened: AsyncDisposableStack, days = daysAtStart): Promise<boolean> {
  const bar = new ProgressBar(process.stderr, Date.now, 0)
  const onProgress = (share: number): void => bar.show({ step: 'Creating sample data', share })
  return load(deps, opened, Math.min(days, daysAtStart), onProgress).finally(() => bar.end())
}

/** Makes the older days, up to 13 months, in the background. */
export function makeOlderDemo(
  deps: LoadDeps & { readonly log: Logger },
  opened: AsyncDisposableStack,
  days: number | undefined,
): void {
  const { log } = deps
  let quarters = -1
  const onProgress = (share: number): void => {
    if (Math.floor(4 * share) <= quarters) return
    quarters = Math.floor(4 * share)
    log.info({ percent: 25 * quarters }, 'creating older sample data')
  }
  load(deps, opened, days, onProgress).catch((err: unknown) => {
    if (!opened.disposed) log.error({ err }, 'older sample data could not be created; the next start tries again')
  })
}

/** Loads sample data. Closing the stack stops it and waits until its drafts are removed. */
async function load(
  deps: LoadDeps,
  opened: AsyncDisposableStack,
  days: number | undefined,
  onProgress: (share: number) => void,
): Promise<boolean> {
  const stop = new AbortController()
  const loaded = loadDemo(deps, { days, signal: stop.signal, onProgress })
  opened.defer(async () => {
    stop.abort(new Error('The server was stopped.'))
    await loaded.catch(() => {})
  })
  return loaded
}
