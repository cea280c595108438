import { kindOf, quote, suggest, type Faults, type Path } from './faults.ts'

type Named = { readonly name: string }

/** Finds a field by its name in any case. */
export function findField<Field extends Named>(name: string, fields: readonly Field[]): Field | undefined {
  const wanted = name.trim().toLowerCase()
  return fields.find((field) => field.name.toLowerCase() === wanted)
}

/** Parses field names: an array of strings, or one string with commas. */
export function parseFields<Field extends Named>(
  member: 'dimensions' | 'metrics',
  given: unknown,
  legal: readonly Field[],
  { min, max }: { readonly min: number; readonly max: number },
  faults: Faults,
): readonly Field[] | undefined {
  if (given === undefined) return faults.add([member], 'Required: an array of names.')
  const names = typeof given === 'string' ? splitNames(given) : given
  if (!Array.isArray(names)) return faults.add([member], `Must be an array of names, not ${kindOf(given)}.`)
  if (names.length > max)
    return faults.add([member], `Too many ${member}: ${names.length}. A query can have at most ${max}.`)
  if (names.length < min) return faults.add([member], 'At least one metric is required.')

  const found: Field[] = []
  names.forEach((name: unknown, index) => {
    // A pointer cannot name a part of a string.
    const path = typeof given === 'string' ? [member] : [member, index]
    const field = resolveField(name, member, legal, path, faults)
    if (!field) return
    if (found.includes(field)) faults.add(path, `"${field.name}" appears twice.`)
    else found.push(field)
  })
  return found.length === names.length ? found : undefined
}

const splitNames = (text: string): string[] => (text.trim() === '' ? [] : text.split(',').map((name) => name.trim()))

function resolveField<Field extends Named>(
  name: unknown,
  member: 'dimensions' | 'metrics',
  legal: readonly Field[],
  path: Path,
  faults: Faults,
): Field | undefined {
  if (typeof name !== 'string') return faults.add(path, `Must be a name, not ${kindOf(name)}.`)
  const kind = member === 'dimensions' ? 'dimension' : 'metric'
  return (
    findField(name, legal) ??
    faults.add(
      path,
      `${quote(name)} is not a ${kind} of this cube.${suggest(
        name,
        legal.map((field) => field.name),
      )}`,
    )
  )
}
