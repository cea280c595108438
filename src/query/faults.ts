import { distance } from 'fastest-levenshtein'

export type Fault = {
  /** A JSON pointer into the body, as a URI fragment. */
  readonly pointer: string
  readonly detail: string
}

/** A small body that is full of faults must not make a large answer. */
const faultsMax = 100

/** Collects the faults of a body, which are returned together. Pointers are made for faults only: most bodies have none. */
export class Faults {
  readonly list: Fault[]
  readonly #parent: Faults | undefined
  readonly #step: string | number

  constructor(parent?: Faults, step: string | number = '') {
    this.list = parent?.list ?? []
    this.#parent = parent
    this.#step = step
  }

  /** Returns the faults of a member or an entry of this value, which are collected in the same list. */
  at(step: string | number): Faults {
    return new Faults(this, step)
  }

  add(detail: string): undefined {
    if (this.list.length < faultsMax) this.list.push({ pointer: this.#pointer, detail })
    return undefined
  }

  get #pointer(): string {
    if (!this.#parent) return '#'
    const name = String(this.#step).replaceAll('~', '~0').replaceAll('/', '~1')
    return `${this.#parent.#pointer}/${encodeURIComponent(name)}`
  }
}

/** Quotes the beginning of a text, so that an answer does not grow with the request. */
export function quote(text: string): string {
  const shown = text.toWellFormed()
  return JSON.stringify(shown.length > 60 ? `${shown.slice(0, 60).toWellFormed()}…` : shown)
}

/**
 * Returns " Did you mean …?" with the nearest of the names, or nothing if none is near. Synonyms are other words, in
 * lower case, for some of the names.
 */
export function suggest(
  text: string,
  names: readonly string[],
  synonyms: Readonly<Record<string, string>> = {},
): string {
  const wanted = text.trim().toLowerCase()
  if (wanted === '' || wanted.length > 60) return ''
  const words = Object.entries(synonyms).filter(([, name]) => names.includes(name))
  const [nearest] = [...names.map((name) => [name.toLowerCase(), name] as const), ...words]
    .map(([word, name]) => ({ name, steps: distance(wanted, word) }))
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

/** Reports members that have no meaning, because a misspelled name must not be ignored. */
export function refuseUnknownMembers(object: object, known: readonly string[], faults: Faults): void {
  const unknown = Object.keys(object).filter((name) => !known.includes(name))
  for (const name of unknown.slice(0, faultsMax)) {
    faults.at(name.toWellFormed().slice(0, 60).toWellFormed()).add(`Unknown field.${suggest(name, known)}`)
  }
}

/** Returns the entries of an optional list, or none if the list itself is at fault. */
export function parseList(given: unknown, entries: string, max: number, faults: Faults): readonly unknown[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) faults.add(`Must be an array of ${entries}, not ${kindOf(given)}.`)
  else if (given.length <= max) return given
  else faults.add(`Too many ${entries}: ${given.length}. A query can have at most ${max}.`)
  return []
}
