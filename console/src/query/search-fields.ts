type Field = { readonly name: string; readonly description: string }

/** The fields with every word in their name or description. Matches in the name come first. */
export function searchFields<Found extends Field>(fields: readonly Found[], search: string): readonly Found[] {
  const text = search.trim().toLowerCase()
  const words = text.split(/\s+/)
  const rank = ({ name }: Found): number => {
    const lower = name.toLowerCase()
    if (lower.startsWith(text)) return 0
    return lower.includes(text) ? 1 : 2
  }
  return fields
    .filter(({ name, description }) => words.every((word) => `${name} ${description}`.toLowerCase().includes(word)))
    .toSorted((a, b) => rank(a) - rank(b))
}
