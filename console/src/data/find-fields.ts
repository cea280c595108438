type Described = { readonly name: string; readonly description: string }

/** Finds the fields whose name or description has every word of the search. */
export function findFields<Field extends Described>(fields: readonly Field[], search: string): readonly Field[] {
  const words = search.toLowerCase().split(/\s+/)
  return fields.filter(({ name, description }) => {
    const text = `${name} ${description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
