/** A stretch of bytes, both ends included. Reads no further than that, and fails where there are not as many. */
export async function* sliceBytes(source: AsyncIterable<Buffer>, start: number, end: number): AsyncGenerator<Buffer> {
  let position = 0
  for await (const chunk of source) {
    const from = Math.max(0, start - position)
    const to = Math.min(chunk.length, end + 1 - position)
    if (to > from) yield chunk.subarray(from, to)
    position += chunk.length
    if (position > end) return
  }
  throw new Error(`the bytes ended at ${position}, before ${end}`)
}
