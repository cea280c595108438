/** Printable, and not only spaces. Lone surrogates and NUL, which a database may refuse, are not printable either. */
const printable = (charactersMax: number): string => String.raw`^(?=.*\S)[^\p{C}]{1,${charactersMax}}$`
const emailPattern = String.raw`^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,189}$`

/** What people type, in a form that both the API's schemas and the command line check. */
export const forms = {
  name: { pattern: printable(100), description: 'A name of 1 to 100 printable characters.' },
  viewName: { pattern: printable(60), description: 'A name of 1 to 60 printable characters.' },
  email: { pattern: emailPattern, description: 'An e-mail address.' },
} as const

export const hasForm = (form: { readonly pattern: string }, text: string): boolean =>
  new RegExp(form.pattern, 'u').test(text)

/** Addresses are told apart without regard to case. */
export const normalizeEmail = (email: string): string => email.toLowerCase()

/** The length is what protects; rules about digits and signs mostly make people write passwords down. */
export const passwordCharactersMin = 12
/** Hashing takes longer the longer the text; nobody types more than this. */
export const passwordCharactersMax = 200
