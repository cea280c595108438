import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

/** Who asks, and where. */
export type Caller = { readonly url: string; readonly key: string }

export type Answer = { readonly status: number; readonly text: string; readonly ms: number }

const agent = new Agent({ keepAlive: true })

/** Sends a request by the plain HTTP client, which costs the least. A body makes it a POST. */
export async function send({ url, key }: Caller, path: string, body?: object): Promise<Answer> {
  const startedAt = performance.now()
  const sent = body === undefined ? '' : JSON.stringify(body)
  const type = body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }
  const options = { method: body ? 'POST' : 'GET', headers: { 'x-api-key': key, ...type }, agent }
  const asked = request(new URL(path, url), options).end(sent)
  const [response] = (await once(asked, 'response').catch((error: unknown) => {
    throw new Error(`${asked.reusedSocket ? 'an old' : 'a new'} connection: ${String(error)}`)
  })) as [IncomingMessage]
  const received = await text(response)
  return { status: response.statusCode ?? 0, text: received, ms: performance.now() - startedAt }
}

async function demand(...args: Parameters<typeof send>): Promise<Answer> {
  const answer = await send(...args)
  if (answer.status >= 300) throw new Error(`The API answered ${answer.status}: ${answer.text}`)
  return answer
}

/** Asks a synchronous query, which must succeed. */
export const query = (caller: Caller, cube: string, body: object): Promise<Answer> =>
  demand(caller, `/v2/data/synchronous?cube=${cube}`, body)

export type Job = {
  readonly job_id: string
  readonly job_status: string
  readonly output_url: string
  readonly checksum: string
  readonly rows: number
  readonly bytes: number
  readonly started_at: string
  readonly finished_at: string
}

export const submit = async (caller: Caller, cube: string, body: object): Promise<Job> =>
  JSON.parse((await demand(caller, `/v2/data/asynchronous?cube=${cube}`, body)).text) as Job

export async function readJob(caller: Caller, { job_id: id }: Job): Promise<Job> {
  const [job] = JSON.parse((await demand(caller, `/v2/data/status?jobId=${id}`)).text) as [Job]
  if (job.job_status === 'FAILED') throw new Error(`The report failed: ${JSON.stringify(job)}`)
  return job
}

/** Makes a report and waits for it; `ms` is the time from its start to its end. */
export async function makeReport(caller: Caller, cube: string, body: object): Promise<Job & { readonly ms: number }> {
  let job = await submit(caller, cube, body)
  while (job.job_status === 'PROCESSING') {
    await delay(100)
    job = await readJob(caller, job)
  }
  return { ...job, ms: Date.parse(job.finished_at) - Date.parse(job.started_at) }
}
