import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { dayMs } from '../../query/day.ts'
import type { Settings } from '../settings.ts'
import { fail, messageOf, ok, warn, worst, type Finding } from './finding.ts'

/** Enough time to get another certificate. */
const validDaysMin = 21

export async function checkTls({ tlsCert, tlsKey, trustProxy }: Settings): Promise<Finding> {
  if (!tlsCert || !tlsKey) return ok(trustProxy ? 'terminated by the proxy' : 'off; listening on loopback only')
  try {
    const certificate = new X509Certificate(await readFile(tlsCert))
    if (!certificate.checkPrivateKey(createPrivateKey(await readFile(tlsKey)))) {
      return fail('ADCUBE_TLS_KEY does not belong to ADCUBE_TLS_CERT.')
    }
    const { mode } = await stat(tlsKey)
    const isOpen = (mode & 0o007) !== 0
    return worst([
      checkValidity(certificate),
      isOpen && warn(`All users of this machine can read ${tlsKey}: run chmod o-rwx on it.`),
    ])
  } catch (error) {
    return fail(`ADCUBE_TLS_CERT and ADCUBE_TLS_KEY cannot be used: ${messageOf(error)}`)
  }
}

function checkValidity({ validFromDate, validToDate }: X509Certificate): Finding {
  const day = validToDate.toISOString().slice(0, 10)
  const daysLeft = Math.floor((validToDate.getTime() - Date.now()) / dayMs)
  if (validFromDate.getTime() > Date.now()) return fail('The certificate is not valid yet: check the clock.')
  if (daysLeft < 0) return fail(`The certificate expired on ${day}: renew it.`)
  return daysLeft < validDaysMin ? warn(`The certificate expires on ${day}: renew it.`) : ok(`valid until ${day}`)
}
