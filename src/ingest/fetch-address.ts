import { Readable } from 'node:stream'
import { UnreadableFile } from './load-refused.ts'

/** Fetches a file. A user and a password in the address are sent as a header. */
export async function fetchAddress(address: string, signal: AbortSignal) {
  const url = new URL(address)
  const login = `${unescape(url.username)}:${unescape(url.password)}`
  url.username = ''
  url.password = ''
  const headers = {
    // Not unpacked by fetch, which would not notice a truncated file.
    'accept-encoding': 'identity',
    ...(login !== ':' && { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
  }
  const response = await fetch(url, { headers, signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    // The full message may contain the address, with a signature in it.
    throw new UnreadableFile(`cannot be fetched: ${codeOf(error) ?? 'no answer'}`)
  })
  if (!response.ok || !response.body) {
    await response.body?.cancel()
    throw new UnreadableFile(`cannot be fetched: the server answered ${response.status}`)
  }
  const length = Number(response.headers.get('content-length') ?? Number.NaN)
  const stream = Readable.fromWeb(response.body)
  return { stream, bytes: Number.isFinite(length) ? length : undefined }
}

const codeOf = (error: unknown): string | undefined => {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new UnreadableFile('the user or the password in the address is not escaped')
  }
}
