import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { Writable } from 'node:stream'
import { AdcubeError } from '../../client/index.ts'
import { SettingsError } from '../settings.ts'
import { credentialsFile, findBaseUrl, saveCredentials } from './credentials.ts'
import { explain } from './explain.ts'
import { openClient } from './with-client.ts'

type Flags = { readonly baseUrl?: string; readonly keyStdin?: boolean }

export async function loginCommand(flags: Flags): Promise<number> {
  const baseUrl = await findBaseUrl(process.env, flags.baseUrl)
  const apiKey = flags.keyStdin === true ? (await text(process.stdin)).trim() : await askFor(`API key for ${baseUrl}: `)
  try {
    await openClient({ baseUrl, apiKey }).ranges()
  } catch (error) {
    throw error instanceof AdcubeError ? explain(error) : error
  }
  const file = credentialsFile(process.env)
  await saveCredentials(file, { baseUrl, apiKey })
  process.stderr.write(`Saved in ${file}. Try: adcube ranges\n`)
  if (process.env.ADCUBE_API_KEY) process.stderr.write('ADCUBE_API_KEY is set and takes precedence.\n')
  if (/^http:\/\/(?!localhost[:/]|127\.|\[::1\])/.test(`${baseUrl}/`)) {
    process.stderr.write('http:// sends the key unencrypted. Use https:// outside trusted networks.\n')
  }
  return 0
}

/** Asks without showing what is typed. */
async function askFor(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) throw new SettingsError(['Pass the key on standard input with --key-stdin.'])
  process.stderr.write(prompt)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  const stop = new AbortController()
  lines.once('SIGINT', () => stop.abort()).once('close', () => stop.abort())
  try {
    return (await lines.question('', { signal: stop.signal })).trim()
  } catch {
    throw new Error('Interrupted.')
  } finally {
    process.stderr.write('\n')
    lines.close()
  }
}
