import { request } from 'node:http'

export type PrivateAccess = {
  readonly port: number
  readonly user: string
  readonly password: string
}

/** Sends the private engine one statement over a connection of its own: one left open would delay the engine's end. */
export function askOnce({ port, user, password }: PrivateAccess, sql: string): Promise<{ readonly ok: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password }
    request({ host: '127.0.0.1', port, method: 'POST', path: '/', headers, agent: false })
      .on('response', (response) => {
        response.resume().on('end', () => resolve({ ok: response.statusCode === 200 }))
        response.on('error', reject)
      })
      .on('error', reject)
      .end(sql)
  })
}
