import type { FastifyRequest } from 'fastify'
import { quote } from '../../query/faults.ts'
import { readParameters, wrongParameter } from './parameters.ts'

const limitMax = 100
const limitDefault = 50

type Page<Name extends string> = {
  readonly limit: number
  readonly cursor: string | undefined
  /** What else was given, of the names that are allowed. */
  readonly others: Partial<Record<Name, string>>
}

/** Which part of a list is asked for: `limit`, and a cursor that the part before it gave. */
export function readPage<Name extends string = never>(
  request: FastifyRequest,
  cursorName: string,
  otherNames: readonly Name[] = [],
): Page<Name> {
  const {
    limit,
    [cursorName]: cursor,
    ...others
  } = readParameters<string>(request, ['limit', cursorName, ...otherNames])
  const count = limit === undefined ? limitDefault : Number(limit)
  if (limit !== undefined && (!/^\d+$/.test(limit) || count < 1 || count > limitMax)) {
    throw wrongParameter('limit', `A whole number from 1 to ${limitMax}, not ${quote(limit)}.`)
  }
  return { limit: count, cursor, others: others as Page<Name>['others'] }
}

/** The cursor of a list, newest first, whose items have numbers. */
export function readNumberBefore(cursor: string | undefined): number | undefined {
  const before = cursor === undefined ? undefined : Number(cursor)
  if (before === undefined || (Number.isInteger(before) && before >= 0 && before < 2 ** 31)) return before
  throw wrongParameter('before', 'The id of an entry.')
}

/** A part of a list. One item more than `limit` was read, to tell whether there is a next part. */
export function toPage<Item, Shape>(
  items: readonly Item[],
  limit: number,
  shapeOf: (item: Item) => Shape,
  cursorOf: (item: Item) => string,
): { readonly data: readonly Shape[]; readonly next: string | null } {
  const shown = items.slice(0, limit)
  const last = shown.at(-1)
  return { data: shown.map(shapeOf), next: items.length > limit && last !== undefined ? cursorOf(last) : null }
}
