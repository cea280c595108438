import { readFile } from 'node:fs/promises'
import { pino } from 'pino'
import { openLog } from '../open-data.ts'
import { unknownSettings, type Settings } from '../settings.ts'
import { describeStart } from './describe-start.ts'
import { makeDemo, makeOlderDemo } from './make-demo.ts'
import { openService, startBackground } from './open-service.ts'
import { serveHttp } from './serve-http.ts'
import { untilStopped } from './until-stopped.ts'

/** Lines are collected and written in the background, so that a slow reader of the log delays no request. */
const logDestination = { fd: 2, sync: false, minLength: 4_096, periodicFlush: 100, maxLength: 2 ** 24 }

/** Runs a server until a signal stops it. */
export async function runServer(settings: Settings, { isDemo }: { readonly isDemo: boolean }): Promise<void> {
  const log = pino({ level: settings.logLevel, base: null }, pino.destination(logDestination))
  for (const warning of unknownSettings(process.env)) log.warn(warning)
  if (!settings.rateLimits) log.warn('ADCUBE_RATE_LIMITS is off: requests are not limited')
  return untilStopped(log, async (opened) => {
    const { tlsCert, tlsKey } = settings
    const tls = tlsCert && tlsKey ? { cert: await readFile(tlsCert), key: await readFile(tlsKey) } : undefined
    const service = await openService(settings, log, opened)
    const hasDemo = isDemo && (await makeDemo(service, opened, settings.demoDays))
    await service.facts.start()
    const background = await startBackground(service, settings, opened)
    const url = await serveHttp(settings, { ...service, ...background, tls }, opened)
    process.stdout.write(await describeStart(service.store, { url, isDemo: hasDemo, now: Date.now() }))
    if (hasDemo) makeOlderDemo(service, opened, settings.demoDays)
  })
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
