import { request } from 'node:http'
import { text } from 'node:stream/consumers'

export type PrivateAccess = {
  readonly port: number
  readonly user: string
  readonly password: string
}

/** An engine that takes the connection and never answers is not waited for. */
const answerMsMax = 10_000

/** Asks the private engine over a connection of its own: one left open would delay the engine's end. */
export function askOnce({ port, user, password }: PrivateAccess, sql: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(answerMsMax)
    const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password }
    request({ host: '127.0.0.1', port, method: 'POST', path: '/', headers, agent: false, signal })
      .on('response', (response) => {
        text(response).then(resolve, reject)
      })
      .on('error', reject)
      .end(sql)
  })
}
