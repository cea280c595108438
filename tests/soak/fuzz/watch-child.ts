import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

/** How to ask a server like a customer. */
export type Watched = {
  readonly port: number
  readonly key: string
  readonly query: object
  /** The rows of the right answer. */
  readonly rows: unknown
}

/** Results for one kind of request: the time of each, and problems. */
export type Watch = { readonly name: string; readonly ms: number[]; readonly faults: string[] }

const everyMs = 100
const answerMsMax = 30_000

const [{ port, key, query, rows }] = (await once(process, 'message')) as [Watched]
const agent = new Agent({ keepAlive: true })
const headers = { 'x-api-key': key, 'content-type': 'application/json' }

async function send(method: string, path: string, body = ''): Promise<string> {
  const signal = AbortSignal.timeout(answerMsMax)
  const asked = request({ agent, host: '127.0.0.1', port, method, path, headers, signal })
  asked.end(body)
  const [response] = await once(asked, 'response')
  let text = `${response.statusCode} `
  for await (const chunk of response) text += String(chunk)
  return text
}

/** A new query each time, which the engine answers, and an old one, which is answered from memory. */
async function askQuery(round: number): Promise<string | undefined> {
  const values = round % 2 === 0 ? ['none'] : [`none ${round}`]
  const body = JSON.stringify({ ...query, filters: [{ field: 'Country', operator: 'not in', values }] })
  const answer = await send('POST', '/v2/data/synchronous?cube=auctions', body)
  const isRight = answer.startsWith('200 ') && isDeepStrictEqual(JSON.parse(answer.slice(4)).data, rows)
  return isRight ? undefined : answer
}

async function askHealth(): Promise<string | undefined> {
  const answer = await send('GET', '/healthz')
  return answer === '200 {"status":"ok"}' ? undefined : answer
}

const noResults = (): Record<'query' | '/healthz', Watch> => ({
  query: { name: 'query', ms: [], faults: [] },
  '/healthz': { name: '/healthz', ms: [], faults: [] },
})
let results = noResults()

async function measure({ ms, faults }: Watch, ask: () => Promise<string | undefined>): Promise<void> {
  const begun = performance.now()
  const fault = await ask().catch(String)
  ms.push(performance.now() - begun)
  if (fault !== undefined) faults.push(`${new Date().toISOString()} ${fault.slice(0, 300)}`)
}

const underWay = new Set<Promise<void>>()
process.on('message', async () => {
  const taken = results
  results = noResults()
  await Promise.all(underWay)
  process.send?.(Object.values(taken))
})
process.on('disconnect', () => process.exit())
for (let round = 0; ; round++) {
  const asked = Promise.all([
    measure(results.query, () => askQuery(round)),
    measure(results['/healthz'], askHealth),
  ]).then(() => void underWay.delete(asked))
  underWay.add(asked)
  await delay(everyMs)
}
