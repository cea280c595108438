import { execFile } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../../..')
/** What the console is made of. Folders too, because they change where a file is removed. */
const sources = ['console/*.{html,ts}', 'console/{public,src}/**', 'src/{access,catalog,query}/**']

/** Builds the console where its files have changed since; `npm ci` has built it once. */
export async function buildConsole(): Promise<void> {
  const built = join(root, 'console/dist/index.html')
  const builtMs = existsSync(built) ? statSync(built).mtimeMs : 0
  const isOld = globSync(sources, { cwd: root }).some((file) => statSync(join(root, file)).mtimeMs > builtMs)
  if (!isOld) return
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  // In a process of its own: with the tests' NODE_ENV it would be React for development.
  const env = { ...process.env, NODE_ENV: 'production' }
  const building = promisify(execFile)(process.execPath, [vite, 'build', 'console'], { cwd: root, env })
  await building.catch(({ stderr }: { stderr: string }) => {
    throw new Error(`The console could not be built:\n${stderr}`)
  })
}
