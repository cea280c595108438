import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Query } from '../query/query.ts'
import type { QueryFacts, Rows, Scope } from './facts.ts'
import { SharedRun } from './shared-run.ts'

/** Where an answer came from: memory, a query that ran for somebody else as well, or one of its own. */
export const answerSources = ['memory', 'shared', 'engine'] as const
export type AnswerSource = (typeof answerSources)[number]

export type MemoryOptions = {
  /** With 0, nothing is remembered. */
  readonly bytesMax: number
  readonly onAnswer?: ((source: AnswerSource) => void) | undefined
}

/** One answer never drives out most of the others. */
const shareOfOneMax = 1 / 16
/** What an answer takes besides its text, of which each character may take two bytes. */
const bytesBesides = 500

/**
 * The same facts, which remember their answers. The loads that an answer was read from are part of its key and never
 * change, so it is never out of date: once a day is loaded again, nobody asks for the old answer, and it makes way.
 */
export function rememberAnswers(facts: QueryFacts, { bytesMax, onAnswer }: MemoryOptions): QueryFacts {
  if (bytesMax === 0) return facts
  const known = new LRUCache<string, Rows>({
    maxSize: bytesMax,
    maxEntrySize: Math.ceil(bytesMax * shareOfOneMax),
    sizeCalculation: ({ text }) => bytesBesides + 2 * text.length,
  })
  const running = new Map<string, SharedRun<Rows>>()

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
      const run = new SharedRun((own) => facts.readRows(query, scope, { ...options, ...own }))
      running.set(key, run)
      run.result
        .then((found) => known.set(key, found))
        .catch(() => {})
        .finally(() => running.get(key) === run && running.delete(key))
      return run.join(options)
    },
  }
}

/** All that the answer depends on: whatever becomes part of a query or its scope becomes part of its key. */
const keyOf = (query: Query, { visible, ...scope }: Scope): string =>
  digest(`${JSON.stringify(query, nameFields)} ${JSON.stringify(scope)} ${digestLoads(visible)}`)

/** Cubes and fields stand for themselves by their names. */
const nameFields = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'name' in value ? value.name : value

/** The store gives the same array of loads for as long as they are the same, so it is written out once. */
const digests = new WeakMap<Scope['visible'], string>()

function digestLoads(loads: Scope['visible']): string {
  const known = digests.get(loads) ?? digest(JSON.stringify(loads))
  digests.set(loads, known)
  return known
}

const digest = (text: string): string => hash('sha256', text, 'base64')
