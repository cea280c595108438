import { Gauge, type Registry } from 'prom-client'

/** Adds the time at which the certificate of the server expires. Returns the function that sets where it is read. */
export function watchCertificate(registry: Registry): (certificate: { readonly expiresAt: number }) => void {
  let watched: { readonly expiresAt: number } | undefined
  const gauge: Gauge = new Gauge({
    name: 'adcube_tls_certificate_expiry_seconds',
    help: 'Unix time at which the TLS certificate expires; 0 without TLS.',
    registers: [registry],
    collect: () => gauge.set((watched?.expiresAt ?? 0) / 1000),
  })
  return (certificate) => (watched = certificate)
}
