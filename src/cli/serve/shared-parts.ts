import type { RateLimiter, Limited } from '../../access/rate-limiter.ts'
import type { RateRule } from '../../access/rate-rules.ts'
import { FactsError } from '../../facts/errors.ts'
import type { QueryFacts, Scope } from '../../facts/facts.ts'
import type { AnswerSource } from '../../facts/remember-answers.ts'
import type { RequestRecord } from '../../http/edge/record-requests.ts'
import type { Deps } from '../../http/services.ts'
import type { Asked, Exchange } from '../../processes/exchange.ts'
import { readQuery, writeQuery } from '../../query/query-text.ts'

/** What a server has one of, however many processes answer its requests. */
export type SharedParts = Pick<Deps, 'workers' | 'onRequestEnd'> & {
  readonly facts: QueryFacts
  /** Counts requests in memory. */
  readonly rateLimiter: RateLimiter
  readonly onAnswer?: ((source: AnswerSource) => void) | undefined
}

/** Whether a request passes, as a question: the clock is that of whoever answers. */
type Limits = { readonly account: Limited; readonly rules: readonly RateRule[] }

type QueryAsked = { readonly query: string; readonly scope: Scope; readonly id: string }

/** Shares them with other processes. */
export const shareParts = ({ facts, rateLimiter, workers, onRequestEnd, onAnswer }: SharedParts) => ({
  async readRows({ query, scope, id }: QueryAsked, { signal, begin }: Asked) {
    try {
      return { rows: await facts.readRows(readQuery(query), scope, { id, signal, onBegin: begin }) }
    } catch (error) {
      if (!(error instanceof FactsError)) throw error
      const { trouble, cause } = error
      return { trouble, reason: cause instanceof Error ? cause.message : undefined }
    }
  },
  isUp: () => facts.isUp(),
  take: ({ account, rules }: Limits) => rateLimiter.take(account, rules, Date.now),
  look: ({ account, rules }: Limits) => rateLimiter.look(account, rules, Date.now),
  wake: () => workers.wake(),
  cancelJob: (jobId: string) => workers.cancel(jobId),
  isShortOfDisk: () => workers.isShortOfDisk(),
  requestEnd: (record: RequestRecord) => onRequestEnd?.(record),
  answered: (source: AnswerSource) => onAnswer?.(source),
})

export type FirstProcess = ReturnType<typeof shareParts>

/** What cannot be asked for later. */
export type PartsAsTheyAre = { readonly distinctCountError: number; readonly isMeasured: boolean }

/** The same parts, in a process that asks the first one. */
export function borrowParts(
  first: Exchange<FirstProcess>,
  { distinctCountError, isMeasured }: PartsAsTheyAre,
): SharedParts {
  const limited = ({ id, rateFactor }: Limited): Limited => ({ id, rateFactor })
  return {
    facts: {
      distinctCountError,
      async readRows(query, scope, { id, ...options }) {
        const found = await first.ask('readRows', { query: writeQuery(query), scope, id }, options)
        if ('rows' in found) return found.rows
        throw new FactsError(found.trouble, found.reason && new Error(found.reason))
      },
      isUp: () => first.ask('isUp', undefined),
    },
    rateLimiter: {
      take: (account, rules) => first.ask('take', { account: limited(account), rules }),
      look: (account, rules) => first.ask('look', { account: limited(account), rules }),
    },
    workers: {
      wake: () => first.tell('wake', undefined),
      cancel: (jobId) => first.tell('cancelJob', jobId),
      isShortOfDisk: () => first.ask('isShortOfDisk', undefined),
    },
    ...(isMeasured && {
      onRequestEnd: (record) => first.tell('requestEnd', record),
      onAnswer: (source) => first.tell('answered', source),
    }),
  }
}
