import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkTicket } from '../../reports/sign-url.ts'
import { findReport } from '../../reports/find-report.ts'
import type { Services } from '../services.ts'
import { DownloadPlaces } from './download-places.ts'
import { Problem } from '../../contract/problems.ts'
import { originOfRequest, retryAfter } from '../edge/rate-limits.ts'
import { sendReport } from './send-report.ts'

/** By then a download of ordinary size may have ended. */
const noPlaceMs = 10_000
const noPlace = 'Wait until another download of this report, or from your IP address, has finished.'

/** Downloads of reports. The address itself is the right to one: signed, for one job, for a time. */
export async function reportRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { store, storage, linkSecret, countRefused, now } = services
  const places = new DownloadPlaces()

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { jobId } = request.params as { jobId: string }
    const { expires, signature } = request.query as Record<string, unknown>
    const ticket =
      typeof expires === 'string' && typeof signature === 'string'
        ? checkTicket(linkSecret, { jobId, expires, signature }, now())
        : 'forged'
    if (ticket !== 'good') {
      countRefused(request)
      const why = ticket === 'expired' ? 'It has expired' : 'It is not one of ours, or has been altered'
      throw new Problem('link_invalid', `${why}; the status of the job gives a new one.`)
    }
    request.notes.enter('store')
    const found = await findReport(store, jobId)
    request.notes.leave()
    request.notes.account = found?.job.accountId
    if (found?.isAccountDisabled) {
      throw new Problem('account_disabled', 'The account that owns this report is disabled.')
    }
    if (found?.isCubeAllowed === false) {
      throw new Problem('cube_not_allowed', `The account that owns this report can no longer use "${found.job.cube}".`)
    }
    const file = found?.job.file ?? undefined
    const size = file === undefined ? undefined : await storage.measure(file)
    if (!found || file === undefined || size === undefined) {
      throw new Problem('report_gone', 'It was deleted, or its retention period is over.')
    }
    // There is nobody to send it to, and the end of the answer, which gives its place back, has been.
    if (request.hangUp.aborted) return reply.send()
    const takePlace = (): void => {
      const leave = places.take(jobId, originOfRequest(request))
      if (!leave) throw new Problem('too_many_downloads', noPlace, { headers: retryAfter(noPlaceMs) })
      reply.raw.once('close', leave)
    }
    const read = (range?: { readonly start: number; readonly end: number }) => storage.read(file, range)
    return sendReport(request, reply, { job: found.job, blocks: found.blocks, size, read }, takePlace)
  }
  // Both by name: the HEAD that comes with a GET measures what was sent, and here nothing is.
  app.route({ method: ['GET', 'HEAD'], url: '/reports/:jobId/:name', handler: answer })
}
