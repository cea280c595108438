import { execFile } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../../..')
/** The sources of the console, including folders, whose time changes when a file is removed. */
const sources = ['console/*.{html,ts}', 'console/{public,src}/**', 'src/{access,catalog,query}/**']

/** Builds the console if its sources have changed since the last build. */
export async function buildConsole(): Promise<void> {
  const built = join(root, 'console/dist/index.html')
  const builtMs = existsSync(built) ? statSync(built).mtimeMs : 0
  const isOld = globSync(sources, { cwd: root }).some((file) => statSync(join(root, file)).mtimeMs > builtMs)
  if (!isOld) return
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  // In a separate process, because the tests' NODE_ENV would select React for development.
  const env = { ...process.env, NODE_ENV: 'production' }
  const building = promisify(execFile)(process.execPath, [vite, 'build', 'console'], { cwd: root, env })
  await building.catch(({ stderr }: { stderr: string }) => {
    throw new Error(`The console could not be built:\n${stderr}`)
  })
}
