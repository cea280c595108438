import type { FastifyRequest } from 'fastify'
import { quote } from '../query/faults.ts'
import { readParameters, wrongParameter } from './parameters.ts'

const limitMax = 100
const limitDefault = 50

/** Which part of a list is asked for: `limit`, and a cursor that the part before it gave. */
export function readPage(
  request: FastifyRequest,
  cursorName: string,
): { readonly limit: number; readonly cursor: string | undefined } {
  const { limit, [cursorName]: cursor } = readParameters(request, ['limit', cursorName])
  const count = limit === undefined ? limitDefault : Number(limit)
  if (limit !== undefined && (!/^\d+$/.test(limit) || count < 1 || count > limitMax)) {
    throw wrongParameter('limit', `A whole number from 1 to ${limitMax}, not ${quote(limit)}.`)
  }
  return { limit: count, cursor }
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
