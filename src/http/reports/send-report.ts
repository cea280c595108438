import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readCsv, type PackedReport } from '../../reports/read-csv.ts'
import type { Job } from '../../reports/job.ts'
import type { ByteRange } from '../../reports/storage.ts'
import { fileNameOf } from '../v2/job-shape.ts'
import { Problem } from '../../contract/problems.ts'

type Report = PackedReport & { readonly job: Job; readonly read: (range?: ByteRange) => Readable }

/** Answers with a report or the requested range of it. Calls `takeSlot` before it reads any of the report. */
export function sendReport(
  request: FastifyRequest,
  reply: FastifyReply,
  report: Report,
  takeSlot: () => void,
): FastifyReply {
  const { job, size, read, blocks } = report
  const isPacked = acceptsGzip(request.headers['accept-encoding'])
  const length = isPacked ? size : (job.bytes ?? 0)
  const etag = `"${job.checksum?.slice(0, 32)}${isPacked ? '-gzip' : ''}"`
  // Without blocks, each range would require unpacking everything before it.
  const hasRanges = isPacked || blocks !== null
  const { range: asked, 'if-range': condition, 'if-none-match': known } = request.headers
  const isKnown = known === etag
  const isWhole = isKnown || !hasRanges || asked === undefined || (condition !== undefined && condition !== etag)
  const range = isWhole ? undefined : readRange(asked, length)
  // Before any header is set, because an error must have none of them.
  if (range === 'unsatisfiable') {
    throw new Problem('range_not_satisfiable', `The report has ${length} bytes.`, {
      headers: { 'content-range': `bytes */${length}` },
    })
  }
  const isEmpty = isKnown || request.method === 'HEAD'
  if (!isEmpty) takeSlot()
  reply.headers({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${fileNameOf(job)}"`,
    'accept-ranges': hasRanges ? 'bytes' : 'none',
    'cache-control': 'private, no-transform',
    vary: ['accept-encoding', reply.getHeader('vary') ?? []].flat().join(', '),
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

/** Reads a header with one range of bytes, both ends included. Anything else is ignored, as RFC 9110 demands. */
function readRange(header: string, length: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim())
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const count = Math.min(Number(last), length)
    return count === 0 ? 'unsatisfiable' : { start: length - count, end: length - 1 }
  }
  const start = Number(first)
  const end = last === '' ? length - 1 : Math.min(Number(last), length - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= length ? 'unsatisfiable' : { start, end }
}
