import { glob, realpath, stat } from 'node:fs/promises'
import { fileFault, LoadRefused } from './load-refused.ts'

/** Something that a load reads. */
export type Input =
  | { readonly kind: 'stdin' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'address'; readonly address: string }

const filesMax = 10_000

/** Returns the name for messages and records, without the password or signature that an address may hold. */
export function nameOf(input: Input): string {
  if (input.kind === 'stdin') return 'standard input'
  if (input.kind === 'file') return input.path
  const url = URL.parse(input.address)
  // Text before an @ in the path may be part of a password that was not escaped.
  return url && !url.pathname.includes('@')
    ? `${url.protocol}//${url.host}${url.pathname}`
    : `${schemeOf(input.address)}://…`
}

const schemeOf = (operand: string): string | undefined => /^(\w+):\/\//.exec(operand)?.[1]?.toLowerCase()

const addressSchemes = new Set(['http', 'https'])

/** Finds what the operands name, each once; the files of a pattern in the order of their names. */
export async function findFiles(operands: readonly string[]): Promise<readonly Input[]> {
  const found = new Map<string, Input>()
  const add = (id: string, input: Input): void => void (found.has(id) || found.set(id, input))
  for (const operand of operands) {
    const scheme = schemeOf(operand)
    if (operand === '-') add('-', { kind: 'stdin' })
    else if (scheme !== undefined) {
      const input = { kind: 'address', address: operand } as const
      if (!addressSchemes.has(scheme)) throw refuse(nameOf(input), 'an address begins with https:// or http://')
      if (!URL.parse(operand)) throw refuse(nameOf(input), 'is not an address; is a password in it escaped?')
      add(operand, input)
    } else {
      for (const path of await findPaths(operand)) {
        // A file may have several names. One that is missing is reported when it is opened.
        add(await realpath(path).catch(() => path), { kind: 'file', path })
      }
    }
    if (found.size > filesMax) throw refuse(operand, `more than ${filesMax.toLocaleString('en-US')} files in one load`)
  }
  return [...found.values()]
}

/** A path that exists is not a pattern, whatever its characters. */
async function findPaths(operand: string): Promise<readonly string[]> {
  const stats = await stat(operand).catch(() => undefined)
  if (stats?.isDirectory()) throw refuse(operand, `is a folder; name its files, such as ${operand}/*.parquet`)
  if (stats) return [operand]
  if (!/[*?[{]/.test(operand)) throw refuse(operand, 'does not exist')
  const paths = (await Array.fromAsync(glob(operand))).toSorted()
  if (paths.length === 0) throw refuse(operand, 'no file matches')
  return paths
}

const refuse = (file: string, reason: string): LoadRefused => new LoadRefused(fileFault(file, reason))
