import type { Command } from '@commander-js/extra-typings'
import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { Writable } from 'node:stream'
import { examples, withDetails } from '../command.ts'
import { parsed, serverUrl } from '../parsers.ts'
import { UsageError } from '../settings.ts'
import { credentialsFile, findBaseUrl, saveCredentials } from './credentials.ts'
import { makeClient } from './open-client.ts'

export const define = (command: Command) =>
  withDetails(
    command,
    'It asks for the key, checks it, and saves both where only you can read them. ADCUBE_API_KEY and ADCUBE_BASE_URL ' +
      'take precedence. A key is never an option, because other users can see the options of a process.',
  )
    .option('--base-url <url>', 'Address of the server (default: http://127.0.0.1:8080)', parsed(serverUrl))
    .option('--key-stdin', 'Read the key from standard input')
    .addHelpText(
      'after',
      examples('adcube login', 'pass show adcube | adcube login --base-url https://adcube.example.com --key-stdin'),
    )
    .action(async (flags) => {
      const baseUrl = await findBaseUrl(process.env, flags.baseUrl)
      const apiKey = flags.keyStdin ? (await text(process.stdin)).trim() : await askFor(`API key for ${baseUrl}: `)
      const client = await makeClient({ baseUrl, apiKey })
      await client.ranges()
      const file = credentialsFile(process.env)
      await saveCredentials(file, { baseUrl, apiKey })
      process.stderr.write(`Saved in ${file}. Try: adcube ranges\n`)
      if (process.env.ADCUBE_API_KEY) process.stderr.write('ADCUBE_API_KEY is set and takes precedence.\n')
      if (/^http:\/\/(?!localhost[:/]|127\.|\[::1\])/.test(`${baseUrl}/`)) {
        process.stderr.write('http:// sends the key unencrypted. Use https:// outside trusted networks.\n')
      }
    })

/** Asks for a text that is not shown while it is typed. */
async function askFor(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError('Pass the key on standard input with --key-stdin.')
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
