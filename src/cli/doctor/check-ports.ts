import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Settings } from '../settings.ts'
import { fail, messageOf, ok, type Finding } from './finding.ts'

const answerMsMax = 5_000

type Place = { readonly host: string; readonly port: number; readonly isTls: boolean; readonly setting: string }

export const checkPort = ({ host, port, tlsCert }: Settings): Promise<Finding> =>
  checkPlace({ host, port, isTls: tlsCert !== undefined, setting: 'ADCUBE_PORT' })

export async function checkMetricsPort({ metricsHost: host, metricsPort: port }: Settings): Promise<Finding> {
  if (port === undefined) return ok('no metrics')
  return checkPlace({ host, port, isTls: false, setting: 'ADCUBE_METRICS_PORT' })
}

/** A port is fine if it is free or if Adcube answers on it. */
async function checkPlace(place: Place): Promise<Finding> {
  const { host, port, setting } = place
  if (port === 0) return ok('any free one')
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return ok(`${host}:${port} is free`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') return identify(place)
    if (code === 'EACCES')
      return fail(`This user cannot listen on port ${port}: choose a port above 1023 with ${setting}.`)
    return fail(`Cannot listen on ${host}:${port}: ${messageOf(error)}. Change ${setting} or the host.`)
  } finally {
    server.close()
  }
}

async function identify(place: Place): Promise<Finding> {
  const isOurs = await askHealth(place).catch(() => false)
  return isOurs
    ? ok(`Adcube is running on ${place.host}:${place.port}`)
    : fail(`Port ${place.port} is in use by another program: choose another one with ${place.setting}.`)
}

async function askHealth({ host, port, isTls }: Place): Promise<boolean> {
  const everywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host]
  const options = { host: everywhere ?? host, port, path: '/healthz', timeout: answerMsMax }
  // The certificate does not matter, because nothing secret is sent.
  const request = isTls ? requestHttps({ ...options, rejectUnauthorized: false }) : requestHttp(options)
  request.once('timeout', () => request.destroy())
  request.end()
  const [response] = await once(request, 'response')
  return (await text(response)) === '{"status":"ok"}'
}
