import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Loads CSV rows beside the running server, and creates accounts if needed. */
export async function loadCsv(dataFolder: string, cube: string, lines: readonly string[]): Promise<void> {
  const args = ['src/cli/main.ts', 'load', cube, '-', '--format', 'csv', '--append', '--create-accounts']
  const env = { ...process.env, ADCUBE_DATA_DIR: dataFolder }
  const loading = promisify(execFile)(process.execPath, args, { env })
  loading.child.stdin!.end(`${lines.join('\n')}\n`)
  await loading
}
