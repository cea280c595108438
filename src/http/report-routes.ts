import { pipeline, Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkTicket } from '../reports/sign-url.ts'
import { unpackReport } from '../reports/unpack-report.ts'
import { findAccount } from '../store/accounts.ts'
import { findJob, type Job } from '../store/jobs.ts'
import type { Services } from './services.ts'
import { fileNameOf } from './job-shape.ts'
import { Problem } from './problems.ts'
import { refuseOtherMethods } from './refuse-other-methods.ts'
import { readRange, type ByteRange } from './read-range.ts'
import { sliceBytes } from './slice-bytes.ts'
import { slowStranger } from './slow-stranger.ts'

/** Downloads of reports. The address itself is the right to one: signed, for one job, for a time. */
export async function reportRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { store, storage, linkSecret, strangers, now } = services

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { jobId } = request.params as { jobId: string }
    const { expires, signature } = request.query as Record<string, unknown>
    const ticket =
      typeof expires === 'string' && typeof signature === 'string'
        ? checkTicket(linkSecret, { jobId, expires, signature }, now())
        : 'forged'
    if (ticket !== 'good') {
      slowStranger(strangers, request, now())
      const why = ticket === 'expired' ? 'It has expired' : 'It is not one of ours, or has been altered'
      throw new Problem('link_invalid', `${why}; the status of the job gives a new one.`)
    }
    const job = await findJob(store, jobId)
    const size = job?.file == null ? undefined : await storage.measure(job.file)
    if (job?.file == null || size === undefined) {
      throw new Problem('report_gone', 'It was removed, or has been kept as long as reports are.')
    }
    const account = await findAccount(store, job.accountId)
    if (account?.disabledAt !== null)
      throw new Problem('account_disabled', 'The account of the report has been disabled.')
    return sendReport(request, reply, { job, size, read: (range) => storage.read(job.file ?? '', range) })
  }
  // Both by name: the HEAD that comes with a GET measures what was sent, and here nothing is.
  app.route({ method: ['GET', 'HEAD'], url: '/reports/:jobId/:name', handler: answer })
  refuseOtherMethods(app, { '/reports/:jobId/:name': ['GET', 'HEAD'] })
}

type Stored = { readonly job: Job; readonly size: number; readonly read: (range?: ByteRange) => Readable }

function sendReport(request: FastifyRequest, reply: FastifyReply, { job, size, read }: Stored): FastifyReply {
  const isPacked = acceptsGzip(request.headers['accept-encoding'])
  const length = isPacked ? size : (job.bytes ?? 0)
  const etag = `"${job.checksum?.slice(0, 32)}${isPacked ? '-gzip' : ''}"`
  const { range: asked, 'if-range': condition, 'if-none-match': known } = request.headers
  const isWhole = known === etag || asked === undefined || (condition !== undefined && condition !== etag)
  const range = isWhole ? undefined : readRange(asked, length)
  // Before any header is set: an error has none of those.
  if (range === 'unsatisfiable') {
    throw new Problem('range_not_satisfiable', `The report has ${length} bytes.`, {
      headers: { 'content-range': `bytes */${length}` },
    })
  }
  reply.headers({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${fileNameOf(job)}"`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-transform',
    vary: 'accept-encoding',
    etag,
    ...(isPacked && { 'content-encoding': 'gzip' }),
  })
  if (known === etag) return reply.status(304).send()
  const { start, end } = range ?? { start: 0, end: length - 1 }
  if (range) reply.status(206).header('content-range', `bytes ${start}-${end}/${length}`)
  reply.header('content-length', end - start + 1)
  if (request.method === 'HEAD') return reply.send()
  if (isPacked) return reply.send(read(range))
  // What is packed can only be read from its beginning; what lies before the range is unpacked and let go.
  const unpacked = pipeline(read(), unpackReport(), (error) => {
    // Whoever has enough, or hangs up, closes it early. Any other error ends the answer short of its length, which the
    // client sees; there is nobody else to tell.
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') {
      request.log.warn({ err: error, job: job.id }, 'a download broke off')
    }
  })
  return reply.send(Readable.from(sliceBytes(unpacked, start, end), { objectMode: false }))
}

const acceptsGzip = (header: string | undefined): boolean =>
  (header ?? '').split(',').some((each) => /^\s*(?:gzip|x-gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(each))
