import { once } from 'node:events'
import { rename, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import { describe, expect, it, vi } from 'vitest'
import { makeCertificate } from './setup/certificate.ts'
import { openFolder } from './setup/serve.ts'

const { folder, serve } = await openFolder('tls-')
const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }

/** Replaces a file as certbot does. */
async function put(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content)
  await rename(`${file}.new`, file)
}
async function renew(until: string): Promise<void> {
  const { cert, key } = makeCertificate('2020-01-01', until)
  await put(files.cert, cert)
  await put(files.key, key)
}

describe('a server with TLS', async () => {
  await renew('2041-01-01')
  const env = { ADCUBE_TLS_CERT: files.cert, ADCUBE_TLS_KEY: files.key, ADCUBE_METRICS_PORT: '0' }
  const { child, output, address } = serve([], env)
  const url = await address()
  const metrics = /Metrics at (http:\S+?)"/.exec(output.stderr)![1]!

  /** The year in which the certificate of a new connection expires. */
  async function yearShown(): Promise<string> {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { valid_to: until } = socket.getPeerCertificate() as DetailedPeerCertificate
    socket.destroy()
    return /\d{4}/.exec(until.split(':').at(-1)!.slice(2))![0]
  }
  const isShown = (year: string) =>
    vi.waitFor(async () => expect(await yearShown()).toBe(year), { timeout: 20_000, interval: 50 })
  const expiry = async (): Promise<Date> => {
    const answer = await (await fetch(`${metrics}/metrics`)).text()
    return new Date(Number(/^adcube_tls_certificate_expiry_seconds (\S+)$/m.exec(answer)![1]) * 1000)
  }

  it('tells browsers to use nothing else', async () => {
    const request = get(`${url}/healthz`, { rejectUnauthorized: false })
    const [response] = await once(request, 'response')
    expect(await text(response)).toBe('{"status":"ok"}')
    expect(response.headers['strict-transport-security']).toBe('max-age=31536000')
  })

  it('reads its certificate again when the files change, and shows its expiry', async () => {
    expect(await yearShown()).toBe('2041')
    expect(await expiry()).toEqual(new Date('2041-01-01'))
    await renew('2042-01-01')
    await isShown('2042')
    expect(await expiry()).toEqual(new Date('2042-01-01'))
  })

  it('keeps its certificate if the new one cannot be used, and reads again on SIGHUP', async () => {
    const errors = () => output.stderr.split('the old one is kept').length - 1
    const before = errors()
    await put(files.cert, 'nonsense')
    child.kill('SIGHUP')
    await vi.waitFor(() => expect(errors()).toBeGreaterThan(before), { timeout: 20_000, interval: 20 })
    expect(await yearShown()).toBe('2042')
    await renew('2043-01-01')
    child.kill('SIGHUP')
    await isShown('2043')
    expect(child.exitCode).toBeNull()
  })
})
