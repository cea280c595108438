import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { serverUrl } from '../parsers.ts'
import { UsageError } from '../settings.ts'

export type Credentials = { readonly baseUrl: string; readonly apiKey: string }

const defaultBaseUrl = 'http://127.0.0.1:8080'

/** The file that `adcube login` writes. */
export function credentialsFile(env: NodeJS.ProcessEnv): string {
  const appData = process.platform === 'win32' ? env.APPDATA : undefined
  return join(env.XDG_CONFIG_HOME || appData || join(homedir(), '.config'), 'adcube', 'credentials.json')
}

type Saved = { readonly base_url?: string; readonly api_key?: string }

async function readSaved(file: string): Promise<Saved> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Saved
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new UsageError(`${file} cannot be read. Run \`adcube login\` to create it again.`)
  }
}

export async function findBaseUrl(env: NodeJS.ProcessEnv, flag: string | undefined): Promise<string> {
  const url = flag ?? (env.ADCUBE_BASE_URL || (await readSaved(credentialsFile(env))).base_url || defaultBaseUrl)
  if (serverUrl.read(url) !== undefined) return url
  throw new UsageError(`ADCUBE_BASE_URL must be ${serverUrl.expected}.`)
}

export async function findCredentials(env: NodeJS.ProcessEnv, flag: string | undefined): Promise<Credentials> {
  const apiKey = env.ADCUBE_API_KEY || (await readSaved(credentialsFile(env))).api_key
  if (apiKey === undefined) throw new UsageError('No API key. Run `adcube login`, or set ADCUBE_API_KEY.')
  return { baseUrl: await findBaseUrl(env, flag), apiKey }
}

/** Writes a file that only this user can read, and renames it when it is complete. */
export async function saveCredentials(file: string, { baseUrl, apiKey }: Credentials): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify({ base_url: baseUrl, api_key: apiKey }, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, file)
}
