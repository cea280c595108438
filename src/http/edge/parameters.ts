import type { FastifyRequest } from 'fastify'
import type { Cube } from '../../catalog/cube.ts'
import { cubes, findCube } from '../../catalog/cubes.ts'
import { quote, suggest } from '../../query/faults.ts'
import { cubesOf } from '../../store/accounts.ts'
import { accountOf } from './authenticate.ts'
import { Problem } from '../../contract/problems.ts'

export const wrongParameter = (parameter: string, detail: string): Problem =>
  new Problem('invalid_parameter', `${parameter}: ${detail}`, { errors: [{ parameter, detail }] })

/** The parameters of an address, each given at most once; a misspelt one must not be dropped in silence. */
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
    // No name of anything holds one, and PostgreSQL refuses it.
    if (value.includes('\0')) throw wrongParameter(name, 'Holds a NUL character.')
  }
  return Object.fromEntries(given) as Partial<Record<Name, string>>
}

/** The id in an address, where it has the form of one of ours. */
export function readId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!/^[a-z]{3}_[0-9a-f]{32}$/.test(id)) throw new Problem('not_found', 'Unknown id.')
  return id
}

export function demandCube(request: FastifyRequest): Cube {
  return resolveCube(readParameters(request, ['cube']).cube, request)
}

/** Either name of a cube that the account may use. */
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
