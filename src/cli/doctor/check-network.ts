import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Settings } from '../settings.ts'
import { fail, messageOf, ok, warn, worst, type Finding } from './finding.ts'

const dayMs = 86_400_000
/** Time enough to get another certificate. */
const validDaysMin = 21
const answerMsMax = 5_000

export async function checkTls({ tls, trustProxy }: Settings): Promise<Finding> {
  if (!tls) return ok(trustProxy ? 'left to the proxy in front' : 'none, for this machine only')
  try {
    const certificate = new X509Certificate(await readFile(tls.certFile))
    if (!certificate.checkPrivateKey(createPrivateKey(await readFile(tls.keyFile)))) {
      return fail('ADCUBE_TLS_KEY is not the key of ADCUBE_TLS_CERT.')
    }
    const { mode } = await stat(tls.keyFile)
    const isOpen = (mode & 0o007) !== 0
    return worst([
      checkValidity(certificate),
      isOpen ? warn(`Everybody on this machine can read ${tls.keyFile}: chmod o-rwx it.`) : ok(''),
    ])
  } catch (error) {
    return fail(`ADCUBE_TLS_CERT and ADCUBE_TLS_KEY cannot be used: ${messageOf(error)}`)
  }
}

function checkValidity({ validFromDate, validToDate }: X509Certificate): Finding {
  const day = validToDate.toISOString().slice(0, 10)
  const daysLeft = Math.floor((validToDate.getTime() - Date.now()) / dayMs)
  if (validFromDate.getTime() > Date.now()) return fail('The certificate is not valid yet: look at the clock.')
  if (daysLeft < 0) return fail(`The certificate expired on ${day}: renew it and restart the server.`)
  return daysLeft < validDaysMin
    ? warn(`The certificate expires on ${day}: renew it and restart the server.`)
    : ok(`valid until ${day}`)
}

/** Free, or answered by an Adcube. */
export async function checkPort(settings: Settings): Promise<Finding> {
  const { host, port } = settings
  if (port === 0) return ok('any free one')
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return ok(`${host}:${port} is free`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') return identify(settings)
    if (code === 'EACCES') return fail(`Port ${port} is not for this user: choose one above 1023 with ADCUBE_PORT.`)
    return fail(`${host}:${port} cannot be listened on: ${messageOf(error)}. Change ADCUBE_HOST or ADCUBE_PORT.`)
  } finally {
    server.close()
  }
}

async function identify({ host, port, tls }: Settings): Promise<Finding> {
  const isOurs = await askHealth({ host, port, isTls: tls !== undefined }).catch(() => false)
  return isOurs
    ? ok(`an Adcube answers on ${host}:${port}`)
    : fail(`Port ${port} is taken by another program: choose one with ADCUBE_PORT.`)
}

async function askHealth({ host, port, isTls }: { host: string; port: number; isTls: boolean }): Promise<boolean> {
  const everywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host]
  const place = { host: everywhere ?? host, port, path: '/healthz', timeout: answerMsMax }
  // Whose certificate it is does not matter here; nothing is told to it.
  const request = isTls ? requestHttps({ ...place, rejectUnauthorized: false }) : requestHttp(place)
  request.once('timeout', () => request.destroy())
  request.end()
  const [response] = await once(request, 'response')
  return response.headers['x-request-id'] !== undefined && (await text(response)) === '{"status":"ok"}'
}
