import { randomUUID } from 'node:crypto'
import type { Statement } from '../compile.ts'

/** By default, a server refuses fields above 128 KiB. */
const fieldBytesMax = 100_000

/**
 * Writes a statement and its parameters as the body of a request. A URL would be too short: filters may have megabytes of
 * values.
 */
export function formOf(statement: Statement) {
  const { sql, params } = splitLists(statement)
  const boundary = `adcube-${randomUUID()}`
  const fields = [['query', sql], ...Object.entries(params).map(([name, value]) => [`param_${name}`, paramText(value)])]
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: `${parts.join('')}--${boundary}--\r\n`,
  }
}

/** Splits lists that are too long for a field into several parameters, which the statement joins again. */
export function splitLists({ sql, params }: Statement): Statement {
  const pieces = new Map(
    Object.entries(params).flatMap(([name, value]) => {
      const lists = Array.isArray(value) ? splitList(value) : []
      return lists.length > 1 ? [[name, lists] as const] : []
    }),
  )
  const joined = sql.replaceAll(/\{(\w+):(Array\(\w+\))\}/g, (placeholder, name: string, type: string) => {
    const lists = pieces.get(name)
    return lists ? `arrayConcat(${lists.map((_, index) => `{${name}_${index}:${type}}`).join(', ')})` : placeholder
  })
  const split = Object.entries(params).flatMap(
    ([name, value]) => pieces.get(name)?.map((list, index) => [`${name}_${index}`, list]) ?? [[name, value]],
  )
  return { sql: joined, params: Object.fromEntries(split) }
}

function splitList(values: readonly unknown[]): unknown[][] {
  const lists: unknown[][] = []
  let bytes = Infinity
  for (const value of values) {
    const size = Buffer.byteLength(elementText(value)) + 1
    if (bytes + size > fieldBytesMax) {
      lists.push([])
      bytes = 2
    }
    lists.at(-1)?.push(value)
    bytes += size
  }
  return lists
}

const paramText = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(elementText).join(',')}]` : escape(String(value))

const elementText = (value: unknown): string => (typeof value === 'string' ? `'${escape(value)}'` : String(value))

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}

const escape = (text: string): string => text.replaceAll(/[\\'\t\n\r]/g, (character) => escapes[character] ?? '')
