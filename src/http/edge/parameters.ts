import type { FastifyRequest } from 'fastify'
import type { Cube } from '../../catalog/cube.ts'
import { cubes, findCube } from '../../catalog/cubes.ts'
import { Problem } from '../../contract/problems.ts'
import { quote, suggest } from '../../query/faults.ts'
import { cubesOf } from '../../store/accounts.ts'
import { accountOf } from './authenticate.ts'

export const wrongParameter = (parameter: string, detail: string): Problem =>
  new Problem('invalid_parameter', `${parameter}: ${detail}`, { errors: [{ parameter, detail }] })

/** The query parameters of a request. Unknown and repeated ones are errors, so that no typing error goes unnoticed. */
export function readParameters<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const given = Object.entries(request.query as Record<string, unknown>)
  for (const [name, value] of given) {
    if (!names.some((known) => known === name)) {
      const shown = name.toWellFormed().slice(0, 60)
      throw wrongParameter(shown, `Unknown parameter.${suggest(name, names)}`)
    }
    if (typeof value !== 'string') throw wrongParameter(name, 'Given more than once.')
    // PostgreSQL refuses it.
    if (value.includes('\0')) throw wrongParameter(name, 'Holds a NUL character.')
  }
  return Object.fromEntries(given) as Partial<Record<Name, string>>
}

/** The id in the path. */
export function readId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!/^[a-z]{3}_[0-9a-f]{32}$/.test(id)) throw new Problem('not_found', 'Unknown id.')
  return id
}

export const readCube = (request: FastifyRequest): Cube => resolveCube(readParameters(request, ['cube']).cube, request)

/** The cube with this name or alias, if the account may use it. */
export function resolveCube(name: string | undefined, request: FastifyRequest): Cube {
  if (name === undefined || name === '') throw wrongParameter('cube', `Required: ${cubeNames()}.`)
  const cube = findCube(name)
  if (!cube) {
    const names = cubes.flatMap((each) => [each.name, each.alias])
    throw wrongParameter('cube', `${quote(name)} is not a cube; ${cubeNames()}.${suggest(name, names)}`)
  }
  if (!cubesOf(accountOf(request)).includes(cube)) {
    throw new Problem('cube_not_allowed', `The account cannot use "${cube.name}".`)
  }
  return cube
}

const cubeNames = (): string => `one of ${cubes.map(({ name, alias }) => `${name} (${alias})`).join(', ')}`

const limitMax = 100
const limitDefault = 50

/** The parameters of a list: `limit`, the cursor that the page before gave, and `otherNames`. */
export function readPage<Name extends string = never>(
  request: FastifyRequest,
  cursorName: string,
  otherNames: readonly Name[] = [],
) {
  const {
    limit,
    [cursorName]: cursor,
    ...others
  } = readParameters<string>(request, ['limit', cursorName, ...otherNames])
  const count = limit === undefined ? limitDefault : Number(limit)
  if (limit !== undefined && (!/^\d+$/.test(limit) || count < 1 || count > limitMax)) {
    throw wrongParameter('limit', `A whole number from 1 to ${limitMax}, not ${quote(limit)}.`)
  }
  return { limit: count, cursor, others: others as Partial<Record<Name, string>> }
}

/** The cursor of a list, newest first, whose items have numbers as ids. */
export function readNumberBefore(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (/^\d{1,10}$/.test(cursor) && Number(cursor) < 2 ** 31) return Number(cursor)
  throw wrongParameter('before', 'The id of an entry.')
}

/** A page of a list. `items` holds one more than `limit` if there is a next page. */
export function toPage<Item, Sent>(
  items: readonly Item[],
  limit: number,
  toRecord: (item: Item) => Sent,
  cursorOf: (item: Item) => string,
): { readonly data: readonly Sent[]; readonly next: string | null } {
  const shown = items.slice(0, limit)
  const last = shown.at(-1)
  return { data: shown.map(toRecord), next: items.length > limit && last !== undefined ? cursorOf(last) : null }
}
