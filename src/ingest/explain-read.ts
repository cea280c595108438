import { UnreadableFile } from './load-refused.ts'

const reasons: Readonly<Record<string, string>> = {
  Z_BUF_ERROR: 'is truncated: the compressed file has no end',
  ENOENT: 'does not exist',
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  EISDIR: 'is a folder',
  EIO: 'cannot be read: the disk has an error',
  UND_ERR_SOCKET: 'is truncated: the connection was lost',
  UND_ERR_BODY_TIMEOUT: 'paused for too long',
}

/** Why a file could not be read, in a few words; undefined where it is not to blame. */
export function explainRead(error: unknown): string | undefined {
  if (error instanceof UnreadableFile) return error.message
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  if (reasons[code]) return reasons[code]
  if (code.startsWith('Z_') || code.startsWith('ZSTD_')) return 'is damaged: it cannot be unpacked'
  // What fetch throws has its reason one step down.
  return error.cause === undefined ? undefined : explainRead(error.cause)
}
