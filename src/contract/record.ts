import { Type, type Static, type TObject, type TSchema } from 'typebox'

type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name
type Inside<Name, Value> = Name extends 'at' | `${string}_at` ? (Value extends string ? number : Value) : Value

/** The values of a record as our code has them: names in camelCase, times in milliseconds. */
type RowOf<Sent> = { readonly [Name in keyof Sent as Camel<Name> & string]: Inside<Name, Sent[Name]> }

/** The values of `row` as the wire has them: the names of `schema`, in its order; `at` and `…_at` are times. */
export function toRecord<Schema extends TObject>(schema: Schema, row: RowOf<Static<Schema>>): Static<Schema> {
  const values = row as Readonly<Record<string, unknown>>
  const entries = Object.keys(schema.properties).map((name) => {
    const value = values[name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
    return [name, /(?:^|_)at$/.test(name) && value !== null ? new Date(value as number).toISOString() : value]
  })
  return Object.fromEntries(entries) as Static<Schema>
}

export const nullable = <Schema extends TSchema>(schema: Schema, about: { readonly description?: string } = {}) =>
  Type.Union([schema, Type.Null()], about)

export const time = Type.String({ format: 'date-time' })
export const day = Type.String({ format: 'date' })
