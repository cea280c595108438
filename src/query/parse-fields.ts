import type { Cube } from '../catalog/cube.ts'
import { cubes } from '../catalog/cubes.ts'
import { asynchronousLimits, type QueryBounds } from '../catalog/limits.ts'
import { kindOf, quote, suggest, type Faults } from './faults.ts'
import { pointToReport } from './point-to-report.ts'

type Named = { readonly name: string }

/** Finds a field by its name in any case. */
export function findField<Field extends Named>(name: string, fields: readonly Field[]): Field | undefined {
  const wanted = name.trim().toLowerCase()
  return fields.find((field) => field.name.toLowerCase() === wanted)
}

export const namesOf = (fields: readonly Named[]): string[] => fields.map(({ name }) => name)

/** Returns what an unknown name may mean: a field of the other kind or of another cube, a synonym, or a similar name. */
export function suggestField(text: string, cube: Cube, legal: readonly Named[]): string {
  const name = text.replaceAll('_', ' ')
  const didYouMean = (meant: string): string => ` Did you mean ${meant}?`
  const spelled = findField(name, legal)
  if (spelled) return didYouMean(`"${spelled.name}"`)
  if (findField(name, cube.metrics)) return ' It is a metric.'
  if (findField(name, cube.dimensions)) return ' It is a dimension.'

  const other = cubes.find(({ dimensions, metrics }) => findField(name, [...dimensions, ...metrics]))
  const ofOther = other ? ` It is a field of the cube ${other.alias}.` : ''
  const meant = new Map(Object.entries(cube.synonyms)).get(name.trim().toLowerCase())
  if (meant === undefined) return ofOther || suggest(name, namesOf(legal), cube.synonyms)
  const kind = findField(meant, cube.metrics) ? 'metric' : 'dimension'
  return `${ofOther}${didYouMean(findField(meant, legal) ? `"${meant}"` : `the ${kind} "${meant}"`)}`
}

/** Parses field names: an array of strings, or one string with commas. */
export function parseFields<Member extends 'dimensions' | 'metrics'>(
  member: Member,
  given: unknown,
  { cube, limits }: { readonly cube: Cube; readonly limits: QueryBounds },
  bodyFaults: Faults,
): Cube[Member] | undefined {
  const legal: readonly Cube[Member][number][] = cube[member]
  const faults = bodyFaults.at(member)
  const maxOf = (bounds: QueryBounds): number => bounds[`${member}Max`]
  if (given === undefined) return faults.add('Required: an array of names.')
  const names = typeof given === 'string' ? splitNames(given) : given
  if (!Array.isArray(names)) return faults.add(`Must be an array of names, not ${kindOf(given)}.`)
  const max = maxOf(limits)
  if (names.length > max) {
    const most = maxOf(asynchronousLimits)
    const report = pointToReport(limits, names.length <= most, `can have ${most} ${member}`)
    return faults.add(`Too many ${member}: ${names.length}. A query can have at most ${max}.${report}`)
  }
  if (names.length === 0 && member === 'metrics') return faults.add('At least one metric is required.')

  const kind = member === 'dimensions' ? 'dimension' : 'metric'
  const found: Cube[Member][number][] = []
  names.forEach((name: unknown, index) => {
    // A pointer cannot name a part of a string.
    const own = typeof given === 'string' ? faults : faults.at(index)
    if (typeof name !== 'string') return own.add(`Must be a name, not ${kindOf(name)}.`)
    const field = findField(name, legal)
    if (!field) own.add(`${quote(name)} is not a ${kind} of this cube.${suggestField(name, cube, legal)}`)
    else if (found.includes(field)) own.add(`"${field.name}" appears twice.`)
    else found.push(field)
  })
  return found.length === names.length ? (found as readonly Cube[Member][number][] as Cube[Member]) : undefined
}

const splitNames = (text: string): string[] => (text.trim() === '' ? [] : text.split(',').map((name) => name.trim()))
