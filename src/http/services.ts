import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { KeyVerifier } from '../access/verify-key.ts'
import type { RateLimiter } from '../access/rate-limiter.ts'
import type { QueryFacts } from '../facts/facts.ts'
import type { ReportStorage } from '../reports/storage.ts'
import type { ReportWorkers } from '../reports/workers.ts'
import type { Store } from '../store/open-store.ts'
import type { FindLoadedDays } from '../store/remember-loads.ts'
import type { WriteWatch } from '../store/write-watch.ts'
import type { AllowedOrigins } from './edge/allow-origins.ts'
import type { ConnectionLimits } from './edge/connections.ts'
import type { RequestRecord } from './edge/request-log.ts'

export type Deps = {
  readonly facts: QueryFacts
  readonly store: Store
  readonly log: Logger
  /** The time in milliseconds since 1970; tests pass a clock of their own. */
  readonly now: () => number
  readonly rateLimiter: RateLimiter
  readonly trustProxy?: boolean
  /** Origins whose pages may call the API. */
  readonly allowedOrigins?: AllowedOrigins | undefined
  /** Replaces default limits. */
  readonly connections?: Partial<ConnectionLimits>
  /** Told about failed writes of the control database; one of its own if undefined. */
  readonly writes?: WriteWatch
  /** Called when a request has ended. */
  readonly onRequestEnd?: ((record: RequestRecord) => void) | undefined
  /** The folder of the built console, if it is not the default one. */
  readonly consoleFolder?: string
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly storage: ReportStorage
  readonly workers: Pick<ReportWorkers, 'wake' | 'cancel' | 'isShortOfDisk'>
  /** Signs download addresses. All nodes share it. */
  readonly linkSecret: Buffer
  /** The base address of download addresses; that of the request if undefined. */
  readonly publicUrl: string | undefined
  /** The longest time for a job, and how long its report is kept. */
  readonly exportMsMax: number
  readonly keepMs: number
}

/** `Deps`, and what `buildApp` makes for the routes. */
export type Services = Deps & {
  readonly writes: WriteWatch
  readonly keys: KeyVerifier
  readonly findLoadedDays: FindLoadedDays
  /** Counts a refused request; throws if its address had too many of them. */
  readonly countRefused: (request: FastifyRequest) => void
}
