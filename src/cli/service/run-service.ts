import { pino, type Logger } from 'pino'
import { openLog } from '../open-data.ts'
import { unknownSettings, type Settings } from '../settings.ts'
import { Certificate } from './certificate.ts'
import { describeStart } from './describe-start.ts'
import { makeDemo, makeOlderDemo } from './make-demo.ts'
import { openService, startBackground } from './open-service.ts'
import { serveHttp } from './serve-http.ts'

/** Lines are collected and written in the background, so that a slow reader of the log delays no request. */
const logDestination = { fd: 2, sync: false, minLength: 16_000, periodicFlush: 100, maxLength: 2 ** 24 }

/** Runs a server until a signal stops it. */
export async function runServer(settings: Settings, { isDemo }: { readonly isDemo: boolean }): Promise<void> {
  const log = pino({ level: settings.logLevel, base: null }, pino.destination(logDestination))
  for (const warning of unknownSettings(process.env)) log.warn(warning)
  if (!settings.rateLimits) log.warn('ADCUBE_RATE_LIMITS is off: requests are not limited')
  const { tlsCert: cert, tlsKey: key } = settings
  const certificate = cert && key ? await Certificate.open({ cert, key }, log) : undefined
  const start = async (opened: AsyncDisposableStack): Promise<void> => {
    const service = await openService(settings, log, opened)
    if (certificate) service.onCertificate?.(certificate)
    const hasDemo = isDemo && (await makeDemo(service, opened, settings.demoDays))
    await service.facts.start()
    const background = await startBackground(service, settings, opened)
    const url = await serveHttp(settings, { ...service, ...background, certificate }, opened)
    process.stdout.write(await describeStart(service.store, { url, isDemo: hasDemo, now: service.now() }))
    if (hasDemo) makeOlderDemo(service, opened, settings.demoDays)
  }
  return untilStopped(log, start, certificate && (() => void certificate.reload()))
}

/** Runs a worker until a signal stops it. */
export async function runWorker(settings: Settings): Promise<void> {
  const log = openLog(settings.logLevel)
  for (const warning of unknownSettings(process.env)) log.warn(warning)
  return untilStopped(log, async (opened) => {
    await startBackground(await openService(settings, log, opened), settings, opened)
    log.info({ exports: settings.exports }, 'working')
  })
}

/**
 * Starts a service, waits for a signal, and then closes what was opened, also if the signal comes during the start.
 * SIGHUP stops it too, unless there is something to reload.
 */
async function untilStopped(
  log: Logger,
  start: (opened: AsyncDisposableStack) => Promise<void>,
  reload?: () => void,
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
    process
      .on('SIGTERM', stop)
      .on('SIGINT', stop)
      .on('SIGHUP', reload ?? stop)
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
