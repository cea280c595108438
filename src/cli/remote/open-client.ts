import type { Adcube } from '../../client/index.ts'
import { abortOnInterrupt } from '../interrupt.ts'
import { findCredentials, type Credentials } from './credentials.ts'

const retryAfterMaxSeconds = 90

/** Opens the API of the server that the option, the environment or `adcube login` names. */
export async function openClient(
  { baseUrl }: { readonly baseUrl?: string | undefined },
  options?: { readonly retries: number },
) {
  const credentials = await findCredentials(process.env, baseUrl)
  return { adcube: await makeClient(credentials, options), signal: abortOnInterrupt('Interrupted.') }
}

/** A person waits: two retries take two seconds, and a longer wait is announced. */
export async function makeClient(credentials: Credentials, { retries = 2 } = {}): Promise<Adcube> {
  const { Adcube } = await import('../../client/index.ts')
  return new Adcube({
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
}
