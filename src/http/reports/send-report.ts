import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readCsv, type PackedReport } from '../../reports/read-csv.ts'
import type { Job } from '../../reports/job.ts'
import { fileNameOf } from '../v2/job-shape.ts'
import { Problem } from '../../contract/problems.ts'
import { readRange, type ByteRange } from './read-range.ts'

type Report = PackedReport & { readonly job: Job; readonly read: (range?: ByteRange) => Readable }

/** Answers with a report, or the range of it that was asked for; `takePlace` is called before any of it is read. */
export function sendReport(
  request: FastifyRequest,
  reply: FastifyReply,
  report: Report,
  takePlace: () => void,
): FastifyReply {
  const { job, size, read, blocks } = report
  const isPacked = acceptsGzip(request.headers['accept-encoding'])
  const length = isPacked ? size : (job.bytes ?? 0)
  const etag = `"${job.checksum?.slice(0, 32)}${isPacked ? '-gzip' : ''}"`
  // Without blocks, all before a range would have to be unpacked, as often as somebody asks.
  const hasRanges = isPacked || blocks !== null
  const { range: asked, 'if-range': condition, 'if-none-match': known } = request.headers
  const isKnown = known === etag
  const isWhole = isKnown || !hasRanges || asked === undefined || (condition !== undefined && condition !== etag)
  const range = isWhole ? undefined : readRange(asked, length)
  // Before any header is set: an error has none of those.
  if (range === 'unsatisfiable') {
    throw new Problem('range_not_satisfiable', `The report has ${length} bytes.`, {
      headers: { 'content-range': `bytes */${length}` },
    })
  }
  const isEmpty = isKnown || request.method === 'HEAD'
  if (!isEmpty) takePlace()
  reply.headers({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${fileNameOf(job)}"`,
    'accept-ranges': hasRanges ? 'bytes' : 'none',
    'cache-control': 'private, no-transform',
    vary: 'accept-encoding',
    etag,
    ...(isPacked && { 'content-encoding': 'gzip' }),
  })
  if (isKnown) return reply.status(304).send()
  const { start, end } = range ?? { start: 0, end: length - 1 }
  if (range) reply.status(206).header('content-range', `bytes ${start}-${end}/${length}`)
  reply.header('content-length', end - start + 1)
  if (isEmpty) return reply.send()
  return reply.send(isPacked ? read(range) : readCsv(report, { start, end }))
}

const acceptsGzip = (header: string | undefined): boolean =>
  (header ?? '').split(',').some((each) => /^\s*(?:gzip|x-gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(each))
