import { randomUUID } from 'node:crypto'
import { request, type Agent } from 'node:http'
import { auctions } from '../src/catalog/auctions.ts'
import type { Engine } from '../src/engine/engine.ts'
import { readRows, type ReadLimits } from '../src/engine/read-rows.ts'
import type { Question } from './questions.ts'

/** Asks a question and returns its rows as one text: JSON objects with commas between them. */
export type Side = (question: Question) => Promise<string>

export type Sides = { readonly api: Side; readonly engine: Side }

/** The client that the API itself uses, with the settings that the API gives it: only the API is left out. */
export function engineSide(engine: Engine, limits: ReadLimits, signal: AbortSignal): Side {
  return async ({ statement, limit }) => {
    const queryId = `bench_${randomUUID().replaceAll('-', '')}`
    // A signal of its own for each query, as in the API: listeners on a shared one would pile up.
    const rows = await readRows(engine, statement, {
      queryId,
      rowsMax: limit + 1,
      limits,
      signal: AbortSignal.any([signal]),
    })
    return rows.slice(0, limit).join(',')
  }
}

/** A caller of the API that keeps its connections, over the runtime's plain HTTP, whose own cost is small. */
export function apiSide(url: string, agent: Agent, signal: AbortSignal): Side {
  const address = new URL(`/v2/data/synchronous?cube=${auctions.alias}`, url)
  return async ({ account, body }) => {
    const headers = {
      'x-api-key': account.key,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      request(address, { method: 'POST', agent, headers, signal: AbortSignal.any([signal]) })
        .on('response', (response) => {
          let text = ''
          response
            .setEncoding('utf8')
            .on('data', (chunk: string) => {
              text += chunk
            })
            .on('end', () => resolve({ status: response.statusCode ?? 0, text }))
            .on('error', reject)
        })
        .on('error', reject)
        .end(body)
    })
    if (status !== 200) throw new Error(`The API answered ${status}: ${text}`)
    return text.slice('{"data":['.length, text.lastIndexOf('],"meta":'))
  }
}
