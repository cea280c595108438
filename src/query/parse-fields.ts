import { kindOf, quote, suggest, type Faults } from './faults.ts'

type Named = { readonly name: string }

/** Finds a field by its name in any case. */
export function findField<Field extends Named>(name: string, fields: readonly Field[]): Field | undefined {
  const wanted = name.trim().toLowerCase()
  return fields.find((field) => field.name.toLowerCase() === wanted)
}

export const namesOf = (fields: readonly Named[]): string[] => fields.map(({ name }) => name)

/** Parses field names: an array of strings, or one string with commas. */
export function parseFields<Field extends Named>(
  member: 'dimensions' | 'metrics',
  given: unknown,
  legal: readonly Field[],
  max: number,
  bodyFaults: Faults,
): readonly Field[] | undefined {
  const faults = bodyFaults.at(member)
  if (given === undefined) return faults.add('Required: an array of names.')
  const names = typeof given === 'string' ? splitNames(given) : given
  if (!Array.isArray(names)) return faults.add(`Must be an array of names, not ${kindOf(given)}.`)
  if (names.length > max) return faults.add(`Too many ${member}: ${names.length}. A query can have at most ${max}.`)
  if (names.length === 0 && member === 'metrics') return faults.add('At least one metric is required.')

  const kind = member === 'dimensions' ? 'dimension' : 'metric'
  const found: Field[] = []
  names.forEach((name: unknown, index) => {
    // A pointer cannot name a part of a string.
    const own = typeof given === 'string' ? faults : faults.at(index)
    if (typeof name !== 'string') return own.add(`Must be a name, not ${kindOf(name)}.`)
    const field = findField(name, legal)
    if (!field) own.add(`${quote(name)} is not a ${kind} of this cube.${suggest(name, namesOf(legal))}`)
    else if (found.includes(field)) own.add(`"${field.name}" appears twice.`)
    else found.push(field)
  })
  return found.length === names.length ? found : undefined
}

const splitNames = (text: string): string[] => (text.trim() === '' ? [] : text.split(',').map((name) => name.trim()))
