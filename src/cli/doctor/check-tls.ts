import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import type { Settings } from '../settings.ts'
import { fail, messageOf, ok, warn, worst, type Finding } from './finding.ts'

const dayMs = 86_400_000
/** Time enough to get another certificate. */
const validDaysMin = 21

export async function checkTls({ tls, trustProxy }: Settings): Promise<Finding> {
  if (!tls) return ok(trustProxy ? 'terminated by the proxy' : 'off; listening on loopback only')
  try {
    const certificate = new X509Certificate(await readFile(tls.certFile))
    if (!certificate.checkPrivateKey(createPrivateKey(await readFile(tls.keyFile)))) {
      return fail('ADCUBE_TLS_KEY does not belong to ADCUBE_TLS_CERT.')
    }
    const { mode } = await stat(tls.keyFile)
    const isOpen = (mode & 0o007) !== 0
    return worst([
      checkValidity(certificate),
      isOpen ? warn(`All users of this machine can read ${tls.keyFile}: run chmod o-rwx on it.`) : ok(''),
    ])
  } catch (error) {
    return fail(`ADCUBE_TLS_CERT and ADCUBE_TLS_KEY cannot be used: ${messageOf(error)}`)
  }
}

function checkValidity({ validFromDate, validToDate }: X509Certificate): Finding {
  const day = validToDate.toISOString().slice(0, 10)
  const daysLeft = Math.floor((validToDate.getTime() - Date.now()) / dayMs)
  if (validFromDate.getTime() > Date.now()) return fail('The certificate is not valid yet: check the clock.')
  if (daysLeft < 0) return fail(`The certificate expired on ${day}: renew it and restart the server.`)
  return daysLeft < validDaysMin
    ? warn(`The certificate expires on ${day}: renew it and restart the server.`)
    : ok(`valid until ${day}`)
}
