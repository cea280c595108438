import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkTicket } from '../../reports/sign-url.ts'
import type { ByteRange } from '../../reports/storage.ts'
import { findReport } from '../../reports/stored-reports.ts'
import type { Services } from '../services.ts'
import { Problem } from '../../contract/problems.ts'
import { allowOrigins } from '../edge/allow-origins.ts'
import { originOfRequest } from '../edge/origin-of-request.ts'
import { retryAfter } from '../edge/rate-limits.ts'
import { sendReport } from './send-report.ts'

/** Enough for a download of ordinary size to finish. */
const noSlotMs = 10_000
const noSlot = 'Wait until another download of this report, or from your IP address, has finished.'

/** Downloads of reports. Their addresses are signed and expire, so they need no API key. */
export async function reportRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { store, storage, linkSecret, countRefused, now } = services
  const slots = new DownloadSlots()
  allowOrigins(app, services.allowedOrigins)

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
    // The client is gone. 'close' has already fired, so a slot taken now would never be released.
    if (request.hangUp.aborted) return reply.send()
    const takeSlot = (): void => {
      const release = slots.take(jobId, originOfRequest(request))
      if (!release) throw new Problem('too_many_downloads', noSlot, { headers: retryAfter(noSlotMs) })
      reply.raw.once('close', release)
    }
    const read = (range?: ByteRange) => storage.read(file, range)
    return sendReport(request, reply, { job: found.job, blocks: found.blocks, size, read }, takeSlot)
  }
  // HEAD by name: Fastify's own HEAD route would set the length of the body, which is empty here.
  app.route({ method: ['GET', 'HEAD'], url: '/reports/:jobId/:name', handler: answer })
}

/** Unpacking a report takes most of a core: enough for a client that fetches parts in parallel, not for one that overloads. */
const perReportMax = 4
const perAddressMax = 16

/** Counts the downloads in progress on this node, by report and by address. */
class DownloadSlots {
  readonly #taken = new Map<string, number>()

  /** Takes a slot for one download and returns the function that releases it; undefined if there is none. */
  take(jobId: string, address: string): (() => void) | undefined {
    const [report, origin] = [`report ${jobId}`, `address ${address}`]
    if (this.#count(report) >= perReportMax || this.#count(origin) >= perAddressMax) return undefined
    this.#add([report, origin], 1)
    return () => this.#add([report, origin], -1)
  }

  #count(name: string): number {
    return this.#taken.get(name) ?? 0
  }

  #add(names: readonly string[], change: 1 | -1): void {
    for (const name of names) {
      const count = this.#count(name) + change
      if (count === 0) this.#taken.delete(name)
      else this.#taken.set(name, count)
    }
  }
}
