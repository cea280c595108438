import { distance } from 'fastest-levenshtein'

/** What is wrong with a request body, and where (a JSON pointer into it, as a URI fragment). */
export type Fault = {
  readonly pointer: string
  readonly detail: string
}

/** Nobody reads more, and a small body full of faults must not make a large answer. */
const faultsMax = 100

/** Collects every fault of a body, so that its author meets them all at once. */
export class Faults {
  readonly list: Fault[] = []

  add(path: readonly (string | number)[], detail: string): undefined {
    if (this.list.length < faultsMax) this.list.push({ pointer: pointerTo(path), detail })
    return undefined
  }
}

function pointerTo(path: readonly (string | number)[]): string {
  const steps = path.map((step) => encodeURIComponent(String(step).replaceAll('~', '~0').replaceAll('/', '~1')))
  return ['#', ...steps].join('/')
}

/** Strangers' text is quoted in part only, so that an answer never grows with what was sent. */
export function quote(text: string): string {
  const shown = text.toWellFormed()
  return JSON.stringify(shown.length > 60 ? `${shown.slice(0, 60).toWellFormed()}…` : shown)
}

/** " Did you mean …?" where a legal name is near enough to be what was meant, else nothing. */
export function suggest(text: string, names: readonly string[]): string {
  const wanted = text.trim().toLowerCase()
  if (wanted === '' || wanted.length > 60) return ''
  const [nearest] = names
    .map((name) => ({ name, steps: distance(wanted, name.toLowerCase()) }))
    .toSorted((a, b) => a.steps - b.steps)
  return nearest && nearest.steps <= Math.max(1, Math.floor(wanted.length / 3))
    ? ` Did you mean "${nearest.name}"?`
    : ''
}

export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return `a ${typeof value}`
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reports the members of an object that have no meaning here: a misspelt name must not be dropped in silence. */
export function refuseUnknownMembers(
  object: Record<string, unknown>,
  known: readonly string[],
  path: readonly (string | number)[],
  faults: Faults,
): void {
  const unknown = Object.keys(object).filter((name) => !known.includes(name))
  for (const name of unknown.slice(0, faultsMax)) {
    faults.add([...path, name.toWellFormed().slice(0, 60).toWellFormed()], `Unknown field.${suggest(name, known)}`)
  }
}
