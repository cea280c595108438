import { ApiError } from '../api/request.ts'

/** An error in words for the person at the screen. */
export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const { code, message, title, retryAfterSeconds } = error
  if (code === 'sign_in_wrong') return 'The e-mail address or the password is wrong.'
  const wait = retryAfterSeconds === undefined ? '' : ` Try again in ${describeWait(retryAfterSeconds)}.`
  return `${title}. ${message}${wait}`
}

function describeWait(seconds: number): string {
  if (seconds < 90) return `${seconds} second${seconds === 1 ? '' : 's'}`
  return `${Math.ceil(seconds / 60)} minutes`
}
