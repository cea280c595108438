import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Adds rows of CSV beside the running server, and makes their account where there is none. */
export async function loadCsv(dataFolder: string, cube: string, lines: readonly string[]): Promise<void> {
  const args = ['src/cli/main.ts', 'load', cube, '-', '--format', 'csv', '--append', '--create-accounts']
  const env = { ...process.env, ADCUBE_DATA_DIR: dataFolder }
  const loading = promisify(execFile)(process.execPath, args, { env })
  loading.child.stdin!.end(`${lines.join('\n')}\n`)
  await loading
}
