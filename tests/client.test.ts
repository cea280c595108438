import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { auctions } from '../src/catalog/auctions.ts'
import { cubes as catalog } from '../src/catalog/cubes.ts'
import { Adcube, AdcubeError, ReportDamaged, ReportFailed } from '../src/client/index.ts'
import { dimensionValues, loadTestFacts } from './setup/facts.ts'
import { atEnd } from './setup/at-end.ts'
import { openService } from './setup/service.ts'

const service = await openService()
service.workers.start()
const baseUrl = await service.app.listen({ host: '127.0.0.1', port: 0 })
const account = await service.createAccount('client')
const facts = [...dimensionValues, ...dimensionValues].map((value, index) => ({
  day: '2026-11-14',
  dimensions: { Country: value, 'App Name': value },
  measures: { auctions: BigInt(index + 1), net_revenue: BigInt(index) * 1_000_001n, clicks: 0n },
  devices: [],
}))
await loadTestFacts(service, auctions, account.id, facts)

const adcube = new Adcube({ baseUrl, apiKey: account.key })
const query = {
  start: '2026-11-13',
  end: '2026-11-14',
  dimensions: ['Country', 'App Name'],
  metrics: ['Auctions', 'Net Revenue', 'CTR'],
  sort: [{ field: 'Auctions', order: 'desc' }],
} as const

/** A fetch that answers each request as given, and records the requests. */
function intercept(change: (response: Response, count: number) => Response | Promise<Response>) {
  const asked: Request[] = []
  const fetch = async (...args: Parameters<typeof globalThis.fetch>): Promise<Response> => {
    const count = asked.push(new Request(...args))
    return change(await globalThis.fetch(...args), count)
  }
  return { asked, fetch }
}

/** Ends with an error after some bytes, as if the connection broke. */
function cutAfter(response: Response, bytes: number): Response {
  let room = bytes
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, room))
      room -= chunk.length
      if (room <= 0) controller.error(new TypeError('terminated'))
    },
  })
  return new Response(response.body!.pipeThrough(cut), response)
}

const isDownload = (request: Request | undefined): boolean => request?.url.includes('/reports/') ?? false

async function readAll(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('the client', () => {
  it('returns the rows of the API with typed names', async () => {
    const { data, meta } = await adcube.query('auctions', query)
    expect({ data, meta: { ...meta, request_id: '' } }).toEqual({
      data: (await service.ask(account.key, 'auctions', query)).body.data,
      meta: expect.objectContaining({ rows: dimensionValues.length, truncated: false }),
    })
    const [first] = data
    const country: string | null = first!.Country
    const revenue: number | null = first!['Net Revenue']
    expect([country, revenue]).toEqual([first!.Country, first!['Net Revenue']])
    // @ts-expect-error It was not asked for.
    expect(first!.Gender).toBeUndefined()
  })

  it('does not compile with a field that is not in the cube', () => {
    const faulty = [
      // @ts-expect-error
      () => adcube.query('auctions', { ...query, dimensions: ['Contry'] }),
      // @ts-expect-error
      () => adcube.query('auctions', { ...query, metrics: ['DAU'] }),
      // @ts-expect-error
      () => adcube.report('platform-performance', { ...query, dimensions: [], metrics: ['Auctions'] }),
      // @ts-expect-error
      () => adcube.query('auctions', { ...query, filters: [{ field: 'Auctions', operator: '=', value: '1' }] }),
      // @ts-expect-error
      () => adcube.query('auctions', { ...query, filters: [{ field: 'Country', operator: 'in', value: 'DE' }] }),
      // @ts-expect-error
      () => adcube.query('auction', query),
    ]
    expect(faulty).toHaveLength(6)
  })

  it('reads ranges, metadata and jobs', async () => {
    expect(await adcube.ranges()).toContainEqual({ cube: auctions.name, start: '2026-11-14', end: '2026-11-14' })
    const { cubes } = await adcube.metadata()
    expect(cubes.map(({ alias }) => alias)).toEqual(catalog.map(({ alias }) => alias))
    expect(await adcube.jobs({ status: 'FAILED' })).toEqual([])
  })

  it('throws an error with every fault of a query and the code of the server', async () => {
    const wrong = { ...query, dimensions: ['Contry', 'OSS'] as never, limit: 0 }
    const error = await adcube.query('auctions', wrong).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(AdcubeError)
    expect(error).toMatchObject({ status: 400, code: 'invalid_query', requestId: expect.any(String) })
    const { errors, message } = error as AdcubeError
    expect(errors.map(({ pointer }) => pointer)).toEqual(['#/dimensions/0', '#/dimensions/1', '#/limit'])
    expect(message).toContain('Country')
    await expect(new Adcube({ baseUrl, apiKey: 'adc_x' }).ranges()).rejects.toMatchObject({ code: 'key_invalid' })
    await expect(adcube.openReport('job_0')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('reports a server that is missing or is not Adcube', async () => {
    const nobody = new Adcube({ baseUrl: 'http://127.0.0.1:1', apiKey: account.key, retries: 0 })
    await expect(nobody.ranges()).rejects.toMatchObject({ status: 0, code: 'unreachable' })
    const teapot = createServer((_request, response) => response.writeHead(418).end('<h1>tea</h1>'))
    await new Promise<void>((resolve) => teapot.listen(0, '127.0.0.1', resolve))
    atEnd(() => teapot.close())
    const url = `http://127.0.0.1:${(teapot.address() as AddressInfo).port}`
    const other = new Adcube({ baseUrl: url, apiKey: account.key })
    await expect(other.ranges()).rejects.toMatchObject({ status: 418, code: 'unexpected' })
  })
})

describe('a report', () => {
  it('has the rows of the synchronous answer, and the bytes of the download', async () => {
    const news: number[] = []
    const report = await adcube.report('auctions', query, { onProgress: ({ progress }) => news.push(progress) })
    expect(news.at(-1)).toBe(1)
    const rows = []
    for await (const row of report.rows()) rows.push(row)
    // A missing value and an empty text are equal in CSV.
    const expected = (await adcube.query('auctions', query)).data.map((row) => ({
      ...row,
      Country: row.Country || null,
      'App Name': row['App Name'] || null,
    }))
    expect(rows).toEqual(expected)

    const { pathname, search } = new URL(report.job.output_url)
    const whole = Buffer.from(await (await fetch(baseUrl + pathname + search)).arrayBuffer())
    expect(await readAll(report.stream())).toEqual(whole)
    const saved: Buffer[] = []
    const target = new Writable({
      write(chunk: Buffer, _encoding, done) {
        saved.push(chunk)
        done()
      },
    })
    await report.saveTo(Writable.toWeb(target))
    expect(Buffer.concat(saved)).toEqual(whole)

    const again = await adcube.openReport(report.job.job_id, { metrics: query.metrics })
    expect(await Array.fromAsync(again.rows())).toEqual(expected)
  })

  it('resumes an interrupted download, as often as necessary', async () => {
    const { job } = await adcube.report('auctions', query)
    const piece = Math.ceil(job.bytes! / 3)
    const { asked, fetch } = intercept((response, count) =>
      isDownload(asked[count - 1]) ? cutAfter(response, piece) : response,
    )
    const flaky = new Adcube({ baseUrl, apiKey: account.key, fetch })
    const bytes = await readAll((await flaky.openReport(job.job_id)).stream())
    expect(bytes.length).toBe(job.bytes)
    const ranges = asked.filter(isDownload).map(({ headers }) => headers.get('range'))
    expect(ranges).toEqual([null, `bytes=${piece}-`, `bytes=${2 * piece}-`])
    // The key is sent only to the API, not to a signed download address.
    expect(asked.filter(isDownload).some(({ headers }) => headers.has('x-api-key'))).toBe(false)
  })

  it('is rejected if its checksum is wrong', async () => {
    const { job } = await adcube.report('auctions', query)
    const { asked, fetch } = intercept(async (response, count) => {
      if (!isDownload(asked[count - 1])) return response
      const bytes = new Uint8Array(await response.arrayBuffer())
      bytes[bytes.length - 3]! ^= 1
      return new Response(bytes, response)
    })
    const report = await new Adcube({ baseUrl, apiKey: account.key, fetch }).openReport(job.job_id)
    await expect(readAll(report.stream())).rejects.toThrow(ReportDamaged)
  })

  it('is one job, however often the request is sent', async () => {
    const { asked, fetch } = intercept((response, count) => {
      // The server has accepted the job, but its answer is lost.
      if (count < 3) throw new TypeError('fetch failed')
      return response
    })
    const known = new Set((await adcube.jobs()).map(({ job_id: id }) => id))
    const report = await new Adcube({ baseUrl, apiKey: account.key, fetch }).report('auctions', query)
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(3)
    const added = (await adcube.jobs()).map(({ job_id: id }) => id).filter((id) => !known.has(id))
    expect(added).toEqual([report.job.job_id])
  })

  it('that was cancelled is reported as cancelled', async () => {
    const onProgress = async ({ job_id: id, job_status: state }: { job_id: string; job_status: string }) => {
      if (state === 'PROCESSING') await adcube.cancel(id)
    }
    // Without workers, the report cannot be ready too early.
    await service.workers.stop()
    const waiting = adcube.report('auctions', query, { onProgress: (job) => void onProgress(job) })
    await expect(waiting).rejects.toThrow(ReportFailed)
  })
})

describe('a call', () => {
  it('waits as long as Retry-After says, up to its own maximum', async () => {
    const limited = (seconds: number, times: number) =>
      intercept((response, count) =>
        count > times
          ? response
          : Response.json(
              { status: 429, code: 'rate_limited', title: 'Limited', detail: '' },
              { status: 429, headers: { 'retry-after': String(seconds) } },
            ),
      )
    const once = limited(1, 1)
    const startedAt = performance.now()
    await new Adcube({ baseUrl, apiKey: account.key, fetch: once.fetch }).ranges()
    expect(performance.now() - startedAt).toBeGreaterThan(999)
    expect(once.asked).toHaveLength(2)
    const long = limited(3_600, 1)
    const refused = new Adcube({ baseUrl, apiKey: account.key, fetch: long.fetch }).ranges()
    await expect(refused).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3_600 })
    expect(long.asked).toHaveLength(1)
  })

  it.each(['query', 'ranges', 'report'] as const)('ends at once when it is aborted: %s', async (name) => {
    const stop = new AbortController()
    const stuck = new Adcube({
      baseUrl,
      apiKey: account.key,
      fetch: (_url, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal!.reason as Error))
          stop.abort(new Error('enough'))
        }),
    })
    const { signal } = stop
    const ended = {
      query: () => stuck.query('auctions', query, { signal }),
      ranges: () => stuck.ranges({ signal }),
      report: () => stuck.report('auctions', query, { signal }),
    }[name]()
    await expect(ended).rejects.toThrow('enough')
  })
})
