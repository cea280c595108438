import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { KeyVerifier } from '../access/verify-key.ts'
import type { RateLimiter } from '../access/rate-limiter.ts'
import type { QueryFacts } from '../facts/facts.ts'
import type { ReportStorage } from '../reports/storage.ts'
import type { ReportWorkers } from '../reports/workers.ts'
import type { Store } from '../store/open-store.ts'
import type { FindLoadedDays } from '../store/remember-loads.ts'
import type { ConnectionLimits } from './edge/connections.ts'
import type { RequestRecord } from './edge/request-log.ts'

export type Deps = Reports & {
  readonly facts: QueryFacts
  readonly store: Store
  readonly log: Logger
  /** Milliseconds since 1970; tests bring their own. */
  readonly now: () => number
  readonly rateLimiter: RateLimiter
  readonly trustProxy?: boolean
  /** Other than the default ones. */
  readonly connections?: Partial<ConnectionLimits>
  /** Told of every request when it is over. */
  readonly onRequestEnd?: ((record: RequestRecord) => void) | undefined
  /** Where the built console is, if not in its own folder. */
  readonly consoleFolder?: string
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined
}

/** What it takes to make reports and to hand them out. */
type Reports = {
  readonly storage: ReportStorage
  readonly workers: Pick<ReportWorkers, 'wake' | 'cancel' | 'isShortOfDisk'>
  /** Signs download addresses; all nodes share it. */
  readonly linkSecret: Buffer
  /** Where others reach this service; as the request has it when undefined. */
  readonly publicUrl: string | undefined
  /** How long a job may take, and how long it is kept. */
  readonly exportMsMax: number
  readonly keepMs: number
}

/** What the routes work with: what was given, and what lives as long as the service. */
export type Services = Deps & {
  readonly keys: KeyVerifier
  readonly findLoadedDays: FindLoadedDays
  /** Counts a request that is refused; throws instead if its address had too many of them. */
  readonly countRefused: (request: FastifyRequest) => void
}
