import { InvalidArgumentError } from '@commander-js/extra-typings'
import { isAccountId } from '../ingest/file-columns.ts'
import type { Cube } from '../catalog/cube.ts'
import { cubes, findCube } from '../catalog/cubes.ts'
import { forms, hasForm, normalizeEmail } from '../contract/forms.ts'
import { suggest } from '../query/faults.ts'
import { addDays, dayOf, isDay, type Day } from '../query/day.ts'

/** A parser of settings and options. */
export type Parser<T> = {
  /** Completes "must be …". */
  readonly expected: string
  /** Returns undefined for a text that is not as expected. */
  readonly read: (text: string) => T | undefined
  readonly choices?: readonly string[]
}

export const text: Parser<string> = { expected: 'a text', read: (text) => text }

export const whole = (min: number, max: number = Number.MAX_SAFE_INTEGER): Parser<number> => ({
  expected: `a whole number ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`,
  read: (text) => {
    const value = Number(text)
    return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined
  },
})

export const oneOf = (...choices: readonly string[]): Parser<string> => ({
  expected: `one of ${choices.join(', ')}`,
  read: (text) => (choices.includes(text) ? text : undefined),
  choices,
})

export const onOrOff: Parser<boolean> = {
  expected: 'one of on, off',
  read: (text) => (text === 'on' || text === 'off' ? text === 'on' : undefined),
  choices: ['on', 'off'],
}

/** `URL.parse` drops spaces and line ends, and accepts addresses without slashes. */
const isUrl = (start: RegExp, text: string): boolean =>
  start.test(text) && !/[\s\p{C}]/u.test(text) && URL.canParse(text)

export const httpUrl: Parser<string> = {
  expected: 'a URL that starts with http:// or https://',
  read: (text) => (isUrl(/^https?:\/\/[^/\\]/i, text) ? text.replace(/\/+$/, '') : undefined),
}

/** An address that paths are appended to. */
export const serverUrl: Parser<string> = {
  expected: `${httpUrl.expected}, without ? and #`,
  read: (text) => (/[?#]/.test(text) ? undefined : httpUrl.read(text)),
}

export const originList: Parser<readonly string[]> = {
  expected: 'origins such as https://app.example.com, with commas between them, or *',
  read: (text) => {
    const origins = text.split(',').map((origin) => origin.trim())
    const isOrigin = (origin: string): boolean => origin === '*' || URL.parse(origin)?.origin === origin
    return origins.every(isOrigin) ? origins : undefined
  },
}

export const postgresUrl: Parser<string> = {
  expected: 'a URL that starts with postgres:// or postgresql://',
  read: (text) => (isUrl(/^postgres(?:ql)?:\/\//i, text) ? text : undefined),
}

// The functions below are for arguments and options of commands. Commander shows what they throw with the name of the
// argument or option, and passes the value so far for an option that is repeated.

export const parsed =
  <T>({ read, expected }: Parser<T>) =>
  (text: string): T => {
    const value = read(text)
    if (value === undefined) throw new InvalidArgumentError(`Must be ${expected}.`)
    return value
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

/** Finds a cube by either of its names. */
export function cube(text: string): Cube {
  const found = findCube(text.trim())
  if (found) return found
  const legal = cubes.map(({ alias }) => alias)
  throw new InvalidArgumentError(`The cubes are ${legal.join(' and ')}.${suggest(text, legal)}`)
}

/** Reads cubes with commas between them. Returns them in the order of the catalog, each once. */
export function cubeList(text: string): readonly Cube[] {
  const named = new Set(text.split(',').map(cube))
  return cubes.filter((each) => named.has(each))
}

/** Reads names with commas between them; none from an empty text. */
export function names(text: string, before: readonly string[] = []): readonly string[] {
  if (text.trim() === '') return before
  const found = text.split(',').map((name) => name.trim())
  if (found.includes('')) throw new InvalidArgumentError('A name is missing before or after a comma.')
  return [...before, ...found]
}

export function days(text: string): number {
  const count = Number(/^(\d{1,3})d?$/.exec(text)?.[1])
  if (count > 0) return count
  throw new InvalidArgumentError('Write a number of days, such as 7d.')
}

export function day(text: string): Day {
  if (text === 'today') return dayOf(Date.now())
  if (text === 'yesterday') return addDays(dayOf(Date.now()), -1)
  if (isDay(text)) return text
  throw new InvalidArgumentError('Write a UTC day, yyyy-MM-DD, or today or yesterday.')
}
