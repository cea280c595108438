import { ApiError } from '../api/request.ts'

/** Describes an error for the user. */
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
