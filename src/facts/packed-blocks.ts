/** Where each block of a packed CSV starts. All hold `blockBytes` of CSV, except the last. */
export type PackedBlocks = { readonly blockBytes: number; readonly starts: readonly number[] }

/** A gzip file begins with them, as Node writes it: there is no name in it. */
export const gzipHeaderBytes = 10

/** As text that is short to store, because a report of 4 GB has a thousand blocks: packed sizes, to the base 36. */
export const writeBlocks = ({ blockBytes, starts }: PackedBlocks): string =>
  [blockBytes, ...starts.slice(1).map((start, index) => start - (starts[index] ?? 0))]
    .map((number) => number.toString(36))
    .join(' ')

export function readBlocks(text: string): PackedBlocks {
  const [blockBytes = 0, ...sizes] = text.split(' ').map((number) => Number.parseInt(number, 36))
  const starts = [gzipHeaderBytes]
  for (const size of sizes) starts.push((starts.at(-1) ?? 0) + size)
  return { blockBytes, starts }
}
