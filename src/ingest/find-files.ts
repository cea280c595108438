import { glob, realpath, stat } from 'node:fs/promises'
import { fileFault, LoadRefused } from './load-refused.ts'

/** What a load reads: standard input, a file, or an address that is fetched. */
export type Place =
  | { readonly kind: 'input' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'address'; readonly address: string }

const filesMax = 10_000

/** What a place is called, in words to people and in the record. */
export function nameOf(place: Place): string {
  if (place.kind === 'input') return 'standard input'
  if (place.kind === 'file') return place.path
  // An address may hold a password or a signature; neither is shown or kept.
  const url = URL.parse(place.address)
  // With an @ further on, what stands before it may be part of a password that should have been escaped.
  return url && !url.pathname.includes('@')
    ? `${url.protocol}//${url.host}${url.pathname}`
    : `${schemeOf(place.address)}://…`
}

const schemeOf = (operand: string): string | undefined => /^(\w+):\/\//.exec(operand)?.[1]?.toLowerCase()

const addressSchemes = new Set(['http', 'https'])

/** Finds all that the operands name, each once, patterns in the order of their files' names. */
export async function findFiles(operands: readonly string[]): Promise<readonly Place[]> {
  const found = new Map<string, Place>()
  const add = (id: string, place: Place): void => void (found.has(id) || found.set(id, place))
  for (const operand of operands) {
    const scheme = schemeOf(operand)
    if (operand === '-') add('-', { kind: 'input' })
    else if (scheme !== undefined) {
      const place = { kind: 'address', address: operand } as const
      if (!addressSchemes.has(scheme)) throw refuse(nameOf(place), 'an address begins with https:// or http://')
      if (!URL.parse(operand)) throw refuse(nameOf(place), 'is not an address; is a password in it escaped?')
      add(operand, place)
    } else for (const path of await findPaths(operand)) add(await idOf(path), { kind: 'file', path })
    if (found.size > filesMax) throw refuse(operand, `more than ${filesMax.toLocaleString('en-US')} files in one load`)
  }
  return [...found.values()]
}

/** The same file is found under many names; one that is not there is told when it is opened. */
const idOf = (path: string): Promise<string> => realpath(path).catch(() => path)

/** A name that exists is that file, whatever characters it has. */
async function findPaths(operand: string): Promise<readonly string[]> {
  const stats = await stat(operand).catch(() => undefined)
  if (stats?.isDirectory()) throw refuse(operand, `is a folder; name its files, such as ${operand}/*.parquet`)
  if (stats) return [operand]
  if (!/[*?[{]/.test(operand)) throw refuse(operand, 'does not exist')
  const paths = (await Array.fromAsync(glob(operand))).toSorted()
  if (paths.length === 0) throw refuse(operand, 'no file matches')
  return paths
}

const refuse = (file: string, reason: string): LoadRefused => new LoadRefused([fileFault(file, reason)])
