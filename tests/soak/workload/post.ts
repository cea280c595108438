import { Agent, request } from 'node:https'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeCertificate } from '../../setup/certificate.ts'

const answerMsMax = 60_000

/** Makes a certificate. Returns the settings of a server that uses it, and a client that trusts it. */
export async function openTls(folder: string, key: string) {
  const certificate = makeCertificate('2020-01-01', '2100-01-01')
  const env = { ADCUBE_TLS_CERT: join(folder, 'cert.pem'), ADCUBE_TLS_KEY: join(folder, 'key.pem') }
  await writeFile(env.ADCUBE_TLS_CERT, certificate.cert)
  await writeFile(env.ADCUBE_TLS_KEY, certificate.key)
  const agent = new Agent({ keepAlive: true, ca: certificate.cert, servername: 'localhost' })
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }

  /** Sends a request. The status 0 means that there was no answer. */
  async function post(url: string, body: object): Promise<{ readonly status: number; readonly body: any }> {
    try {
      const asked = request(url, { method: 'POST', agent, headers, signal: AbortSignal.timeout(answerMsMax) })
      asked.end(JSON.stringify(body))
      const [response] = await once(asked, 'response')
      return { status: response.statusCode, body: JSON.parse(await text(response)) }
    } catch {
      return { status: 0, body: undefined }
    }
  }
  return { env, post }
}
