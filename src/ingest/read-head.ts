import { Readable } from 'node:stream'

/** The first bytes of a stream, fewer only where it has no more, and a stream that still has them. */
export async function peek(
  stream: Readable,
  bytes: number,
): Promise<{ readonly head: Buffer; readonly stream: Readable }> {
  const iterator: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]()
  const chunks: Buffer[] = []
  let length = 0
  while (length < bytes) {
    const { done, value } = await iterator.next()
    if (done) break
    chunks.push(value)
    length += value.length
  }
  const head = Buffer.concat(chunks)
  const again = async function* (): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head
      for (;;) {
        const { done, value } = await iterator.next()
        if (done) return
        yield value
      }
    } finally {
      await iterator.return?.()
    }
  }
  return { head, stream: Readable.from(again(), { objectMode: false }) }
}

/** The fields of the first line of CSV; undefined where it does not end within these bytes. */
export function readCsvHeader(head: Buffer, isAll: boolean): readonly string[] | undefined {
  const text = head.toString('utf8').replace(/^\uFEFF/, '')
  const fields: string[] = []
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|\r|$)/y
  for (;;) {
    const match = field.exec(text)
    if (!match) return undefined
    const [, value = '', end = ''] = match
    fields.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end === ',') continue
    return end === '' && !isAll ? undefined : fields
  }
}
