import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Query } from '../query/query.ts'
import { FactsError } from './errors.ts'
import type { QueryFacts, ReadOptions, Rows, Scope } from './facts.ts'

/** The origin of an answer: the cache, a query that was already running for another caller, or a query of its own. */
export const answerSources = ['memory', 'shared', 'engine'] as const
export type AnswerSource = (typeof answerSources)[number]

export type CacheOptions = {
  /** 0 switches the cache off. */
  readonly bytesMax: number
  readonly onAnswer?: ((source: AnswerSource) => void) | undefined
}

/** One answer never evicts most of the others. */
const shareOfOneMax = 1 / 16
/** The memory of an answer besides its rows. */
const bytesBesides = 500

/**
 * Adds a cache of answers. The loads that an answer was read from are part of its key and never change, so an answer is
 * never out of date: when a day is loaded again, nobody asks for the old answer, and it is evicted.
 */
export function rememberAnswers(facts: QueryFacts, { bytesMax, onAnswer }: CacheOptions): QueryFacts {
  if (bytesMax === 0) return facts
  const known = new LRUCache<string, Rows>({
    maxSize: bytesMax,
    maxEntrySize: Math.ceil(bytesMax * shareOfOneMax),
    sizeCalculation: ({ json }) => bytesBesides + json.length,
  })
  const running = new Map<string, SharedQuery>()

  return {
    ...facts,

    async readRows(query, scope, options) {
      const key = keyOf(query, scope)
      const rows = known.get(key)
      if (rows) {
        onAnswer?.('memory')
        options.onBegin?.()
        return rows
      }
      const shared = running.get(key)
      if (shared && !shared.isStopped) {
        onAnswer?.('shared')
        return shared.join(options)
      }
      onAnswer?.('engine')
      const run = new SharedQuery((own) => facts.readRows(query, scope, { ...options, ...own }))
      running.set(key, run)
      run.rows
        .then((found) => known.set(key, found))
        .catch(() => {})
        .finally(() => running.get(key) === run && running.delete(key))
      return run.join(options)
    },
  }
}

/** All that the answer depends on. A new property of a query or a scope becomes part of the key. */
const keyOf = (query: Query, { visible, ...scope }: Scope): string =>
  digest(`${JSON.stringify(query, nameFields)} ${JSON.stringify(scope)} ${digestLoads(visible)}`)

/** Writes cubes and fields as their names. */
const nameFields = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'name' in value ? value.name : value

/** The store returns the same array of loads until they change, so it is digested once. */
const digests = new WeakMap<Scope['visible'], string>()

function digestLoads(loads: Scope['visible']): string {
  const known = digests.get(loads) ?? digest(JSON.stringify(loads))
  digests.set(loads, known)
  return known
}

const digest = (text: string): string => hash('sha256', text, 'base64')

type Caller = Pick<ReadOptions, 'signal' | 'onBegin'>

/** A query that runs once for several callers. It is stopped when the last of them has gone. */
class SharedQuery {
  readonly rows: Promise<Rows>
  readonly #stop = new AbortController()
  readonly #callers = new Set<Caller>()
  #hasBegun = false

  constructor(run: (options: Required<Caller>) => Promise<Rows>) {
    const onBegin = (): void => {
      this.#hasBegun = true
      for (const caller of this.#callers) caller.onBegin?.()
    }
    this.rows = run({ signal: this.#stop.signal, onBegin })
  }

  /** After this, no caller may join. */
  get isStopped(): boolean {
    return this.#stop.signal.aborted
  }

  async join(caller: Caller): Promise<Rows> {
    this.#callers.add(caller)
    if (this.#hasBegun) caller.onBegin?.()
    const gone = Promise.withResolvers<never>()
    const leave = (): void => {
      this.#callers.delete(caller)
      if (this.#callers.size === 0) this.#stop.abort()
      gone.reject(new FactsError('cancelled', caller.signal.reason))
    }
    caller.signal.addEventListener('abort', leave, { once: true })
    if (caller.signal.aborted) leave()
    try {
      return await Promise.race([this.rows, gone.promise])
    } finally {
      caller.signal.removeEventListener('abort', leave)
      this.#callers.delete(caller)
    }
  }
}
