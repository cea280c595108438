import { Adcube, AdcubeError } from '../../client/index.ts'
import { onInterrupt } from '../interruption.ts'
import { findCredentials, type Credentials } from './credentials.ts'
import { explain } from './explain.ts'

/** What every command that asks a server takes. */
export type ServerFlags = { readonly baseUrl?: string; readonly json?: boolean }

/** Runs a command on a server's API, and says what went wrong in the words of the command line. */
export async function withClient(
  flags: ServerFlags,
  work: (adcube: Adcube, signal: AbortSignal) => Promise<number>,
  options?: { readonly retries: number },
): Promise<number> {
  const adcube = openClient(await findCredentials(process.env, flags.baseUrl), options)
  const signal = onInterrupt('Interrupted.')
  try {
    return await work(adcube, signal)
  } catch (error) {
    throw error instanceof AdcubeError ? explain(error) : error
  }
}

const retryAfterMaxSeconds = 90

/** A person waits: two retries take two seconds, and a longer wait is announced. */
export const openClient = (credentials: Credentials, { retries = 2 }: { readonly retries?: number } = {}): Adcube =>
  new Adcube({
    ...credentials,
    retries,
    retryAfterMaxSeconds,
    fetch: async (...args) => {
      const response = await fetch(...args)
      const seconds = Number(response.headers.get('retry-after'))
      if (response.status === 429 && seconds <= retryAfterMaxSeconds) {
        process.stderr.write(`A rate limit is used up; trying again in ${seconds} s\n`)
      }
      return response
    },
  })
