/** Excludes NUL and lone surrogates, which databases refuse, and texts of spaces alone. */
const printable = (charactersMax: number): string => String.raw`^(?=.*\S)[^\p{C}]{1,${charactersMax}}$`
const emailPattern = String.raw`^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,189}$`

/** Forms of typed texts, which the console's API, its pages and the command line check. */
export const forms = {
  name: { pattern: printable(100), description: 'A name of 1 to 100 printable characters.' },
  viewName: { pattern: printable(60), description: 'A name of 1 to 60 printable characters.' },
  email: { pattern: emailPattern, description: 'An e-mail address.' },
} as const

export const hasForm = (form: { readonly pattern: string }, text: string): boolean =>
  new RegExp(form.pattern, 'u').test(text)

/** E-mail addresses are case-insensitive. */
export const normalizeEmail = (email: string): string => email.toLowerCase()

/** A minimum length protects; rules about digits and signs make people write passwords down. */
export const passwordCharactersMin = 12
/** Bounds the time of hashing. */
export const passwordCharactersMax = 200
