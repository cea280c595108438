import { InvalidArgumentError } from 'commander'
import { isAccountId } from '../catalog/account-id.ts'
import type { Cube } from '../catalog/cube.ts'
import { cubes, findCube } from '../catalog/cubes.ts'
import { forms, hasForm, normalizeEmail } from '../contract/forms.ts'
import { suggest } from '../query/faults.ts'

// What these throw is shown with the name of the argument or option.

export const wholeNumber =
  (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
    throw new InvalidArgumentError(`Must be a whole number ${range}.`)
  }

export function name(text: string): string {
  if (hasForm(forms.name, text.trim())) return text.trim()
  throw new InvalidArgumentError(forms.name.description)
}

export function email(text: string): string {
  const address = normalizeEmail(text.trim())
  if (hasForm(forms.email, address)) return address
  throw new InvalidArgumentError(forms.email.description)
}

export function accountId(text: string): string {
  if (isAccountId(text)) return text
  throw new InvalidArgumentError('1 to 63 lower-case letters, digits and dashes, none of them at the ends.')
}

/** A cube by either of its names. */
export function cube(text: string): Cube {
  const found = findCube(text.trim())
  if (found) return found
  const legal = cubes.map(({ alias }) => alias)
  throw new InvalidArgumentError(`The cubes are ${legal.join(' and ')}.${suggest(text, legal)}`)
}

/** Cubes with commas between them: in the catalog's order, each once whichever name it goes by. */
export function cubeList(text: string): readonly Cube[] {
  const named = new Set(text.split(',').map(cube))
  return cubes.filter((each) => named.has(each))
}
