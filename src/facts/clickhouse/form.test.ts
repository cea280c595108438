import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { formOf, splitLists } from './form.ts'

it('has a field for the statement and for each parameter, escaped for the server', () => {
  const params = { text: "it's\ta\\b\r\n", texts: ["'", 'ü'], numbers: [1, 2], rows: 3 }
  const { contentType, body } = formOf({ sql: 'SELECT {text:String}', params })
  const boundary = contentType.slice('multipart/form-data; boundary='.length)
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  expect(body).toBe(
    [
      field('query', 'SELECT {text:String}'),
      field('param_text', String.raw`it\'s\ta\\b\r\n`),
      field('param_texts', String.raw`['\'','ü']`),
      field('param_numbers', '[1,2]'),
      field('param_rows', '3'),
      `--${boundary}--\r\n`,
    ].join(''),
  )
})

it('does not split lists that fit into a field', () => {
  const statement = { sql: 'SELECT {a:Array(String)}, {b:Array(UInt64)}', params: { a: ['x'], b: [], c: 1 } }
  expect(splitLists(statement)).toEqual(statement)
})

it('splits long lists without losing a value', () => {
  const list = fc.array(fc.string({ unit: fc.constantFrom('a', 'ü', "'", '\\', '😀'), maxLength: 1_000 }), {
    minLength: 200,
    maxLength: 1_000,
    size: 'max',
  })
  fc.assert(
    fc.property(list, (values) => {
      const { sql, params } = splitLists({ sql: 'x IN {a:Array(String)}', params: { a: values, b: 1 } })
      const { b, ...pieces } = params
      expect(b).toBe(1)
      expect(Object.values(pieces).flat()).toEqual(values)
      const names = Object.keys(pieces)
      expect(sql).toBe(
        names.length === 1
          ? 'x IN {a:Array(String)}'
          : `x IN arrayConcat(${names.map((name) => `{${name}:Array(String)}`).join(', ')})`,
      )
      const fields = formOf({ sql: '', params: pieces }).body.split(/\r\n--/)
      expect(Math.max(...fields.map((field) => Buffer.byteLength(field)))).toBeLessThan(128 * 1024)
    }),
    { numRuns: 20 },
  )
})
