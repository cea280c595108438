/** How long a client may take over each part of an exchange, and how many connections a server has at most. */
export type ConnectionLimits = {
  readonly headersMs: number
  readonly requestMs: number
  readonly idleMs: number
  readonly keepAliveMs: number
  readonly checkMs: number
  readonly connectionsMax: number
}

export const defaultConnectionLimits: ConnectionLimits = {
  /** For the headers to arrive, counted from the first moment of a connection, so for the TLS handshake as well. */
  headersMs: 15_000,
  /** For the whole request to arrive; a client that trickles is cut off. */
  requestMs: 30_000,
  /** For the next byte of an answer to be taken; a download that is cut off can be resumed. */
  idleMs: 60_000,
  /** Between requests. Proxies drop idle connections after 60 s; were we first, they would send into a closed one. */
  keepAliveMs: 72_000,
  /** How often the server looks for requests that have not arrived in time. */
  checkMs: 5_000,
  /** One takes some 20 KB while it is idle. */
  connectionsMax: 20_000,
}

type Tls = { readonly cert: Buffer; readonly key: Buffer }

/** The same limits with TLS and without. */
export function serverOptions({ headersMs, requestMs, keepAliveMs, checkMs }: ConnectionLimits, tls: Tls | undefined) {
  // What comes without Host is answered by us (exchanges.ts), with a problem.
  const server = { headersTimeout: headersMs, connectionsCheckingInterval: checkMs, requireHostHeader: false }
  return {
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    ...(tls ? { https: { ...tls, ...server, handshakeTimeout: headersMs } } : { http: server }),
  }
}
