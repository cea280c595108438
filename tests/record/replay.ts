import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import { accounts, noon, otherKeys } from './accounts.ts'
import type { RecordedService } from './setup.ts'
import type { Change, RecordedRequest, Step } from './step.ts'

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** A body: as JSON if writing it again gives the same text, otherwise its lines. */
  readonly json?: unknown
  readonly lines?: readonly string[]
  /** A long body: both ends, and a checksum of all of it. */
  readonly digest?: string
}

/** Longer ones are recorded in part. */
const charactersMax = 24_000
const shownCharacters = 1_000

type Keys = Readonly<Record<string, { readonly id: string; readonly key: string }>>

export async function createAccounts(service: RecordedService): Promise<Keys> {
  const keys: Record<string, { readonly id: string; readonly key: string }> = {}
  for (const [id, account] of Object.entries(accounts)) {
    await service.createAccount(id, account)
    keys[id] = await service.createKey(id, Date.parse(noon))
  }
  for (const [name, { account, createdAt }] of Object.entries(otherKeys)) {
    keys[name] = await service.createKey(account, Date.parse(createdAt))
  }
  return keys
}

let addresses = 0

/** Sends the requests of a theme, one after the other, and gives their answers by name. */
export async function replay(
  steps: readonly Step[],
  { service, keys, clock }: { readonly service: RecordedService; readonly keys: Keys; readonly clock: { now: number } },
): Promise<Readonly<Record<string, Answer>>> {
  clock.now = Date.parse(noon)
  service.resetCounts()
  const answers: Record<string, Answer> = {}
  const jobs = new Jobs()
  for (const step of steps) {
    if (!('name' in step)) {
      await apply(step, jobs, { service, keys, clock })
      continue
    }
    if (step.name in answers) throw new Error(`Two requests have the name "${step.name}".`)
    if (!step.keepsCounts) service.resetCounts()
    addresses++
    const request: InjectOptions = {
      method: step.method ?? (step.body === undefined ? 'GET' : 'POST'),
      url: jobs.resolve(step.url),
      remoteAddress: step.from ?? `10.0.${addresses >> 8}.${addresses & 255}`,
      headers: headersOf(step, keys, jobs),
      ...(step.body !== undefined && {
        payload: typeof step.body === 'string' ? step.body : JSON.stringify(step.body),
      }),
    }
    for (let sent = 1; sent < (step.times ?? 1); sent++) await service.inject(request)
    const response = await service.inject(request)
    answers[step.name] = describe(response.statusCode, response.headers, response.rawPayload, jobs)
  }
  return answers
}

function headersOf({ key = 'aurora', body, headers = {} }: RecordedRequest, keys: Keys, jobs: Jobs) {
  return {
    ...(key !== null && { 'x-api-key': keys[key]?.key ?? key }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, jobs.resolve(value)])),
  }
}

async function apply(
  change: Change,
  jobs: Jobs,
  { service, keys, clock }: { service: RecordedService; keys: Keys; clock: { now: number } },
): Promise<void> {
  if ('clock' in change) clock.now = Date.parse(change.clock)
  else if ('makeReports' in change) await service.work()
  else if ('stopEngine' in change) await service.stopEngine()
  else if ('cancelJobs' in change) {
    const headers = { 'x-api-key': keys[change.cancelJobs]!.key }
    for (const id of jobs.ids) await service.inject({ method: 'DELETE', url: `/v2/data/status?jobId=${id}`, headers })
  } else if ('deleteKey' in change) await service.deleteKey(keys[change.deleteKey]!.id)
  else if ('disableAccount' in change) await service.disableAccount(change.disableAccount)
  else await service.allowCubes(change.account, change.allowCubes)
}

/** Gives jobs numbers in the order in which answers name them. */
class Jobs {
  readonly ids: string[] = []
  readonly #links = new Map<string, string>()
  /** The last report, without gzip. */
  etag = ''

  /** Replaces what is random in an answer by names that are the same each time. */
  rename(text: string): string {
    for (const [, path = '', id = ''] of text.matchAll(/https?:\/\/[^/"]+(\/reports\/(job_[0-9a-f]{32})\/[^"]*)/g)) {
      this.#links.set(id, path)
    }
    return text
      .replaceAll(/job_[0-9a-f]{32}/g, (id) => {
        if (!this.ids.includes(id)) this.ids.push(id)
        return `job_${this.ids.indexOf(id) + 1}`
      })
      .replaceAll(/_([0-9a-f]{8})\.csv/g, (name, end: string) => {
        const index = this.ids.findIndex((id) => id.endsWith(end))
        return index < 0 ? name : `_<end of job_${index + 1}>.csv`
      })
      .replaceAll(/signature=[\w-]{43}/g, 'signature=<signature>')
  }

  resolve(url: string): string {
    return url
      .replaceAll(/\{job (\d+)\}/g, (_, number) => this.#id(number))
      .replaceAll(/\{link (\d+)\}/g, (_, number) => this.#link(number).href)
      .replaceAll(/\{path (\d+)\}/g, (_, number) => this.#link(number).path)
      .replaceAll(/\{(expires|signature) (\d+)\}/g, (_, name, number) => this.#link(number).parameters.get(name) ?? '')
      .replaceAll('{etag}', this.etag)
  }

  #link(number: string) {
    const href = this.#links.get(this.#id(number)) ?? ''
    const [path = '', query] = href.split('?')
    return { href, path, parameters: new URLSearchParams(query) }
  }

  /** Without such a job, the answers differ from the recorded ones, and the tests say which. */
  #id(number: string): string {
    return this.ids[Number(number) - 1] ?? `job-${number}-is-missing`
  }
}

function describe(status: number, given: Readonly<Record<string, unknown>>, payload: Buffer, jobs: Jobs): Answer {
  const { date: _, ...headers }: Record<string, unknown> = given
  const id = headers['x-request-id']
  const rename = (text: string): string => jobs.rename(typeof id === 'string' ? text.replaceAll(id, 'req_1') : text)
  if (typeof headers.etag === 'string') jobs.etag = headers.etag.replaceAll(/"|-gzip/g, '')
  const isPacked = headers['content-encoding'] === 'gzip'
  // The size of a gzip depends on zlib, which differs between machines.
  if (isPacked && status === 200) {
    if (payload.length > 0 && headers['content-length'] !== String(payload.length)) {
      throw new Error(`content-length is ${String(headers['content-length'])}, the body has ${payload.length}`)
    }
    headers['content-length'] = '<length of the gzip>'
  }
  const range = headers['content-range']
  if (isPacked && typeof range === 'string') headers['content-range'] = range.replace(/\/\d+$/, '/<length of the gzip>')
  const sorted = Object.fromEntries(
    Object.entries(headers)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, typeof value === 'string' ? rename(value) : value]),
  )
  const bytes = isPacked && status === 200 && payload.length > 0 ? gunzipSync(payload) : payload
  const text = bytes.toString()
  const answer = { status, headers: sorted }
  if (text === '') return answer
  if (!Buffer.from(text).equals(bytes)) return { ...answer, lines: [`hex ${bytes.toString('hex')}`] }
  return { ...answer, ...describeBody(rename(text)) }
}

function describeBody(text: string): Pick<Answer, 'json' | 'lines' | 'digest'> {
  if (text.length > charactersMax) {
    const digest = `${text.length} characters, sha256 ${createHash('sha256').update(text).digest('hex')}`
    return { lines: [text.slice(0, shownCharacters), text.slice(-shownCharacters)], digest }
  }
  try {
    const json: unknown = JSON.parse(text)
    if (JSON.stringify(json) === text) return { json }
  } catch {}
  return { lines: text.split(/(?<=\n)/) }
}
