import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { atEnd } from '../setup/at-end.ts'
import { repository } from './blocks.ts'

export type Playground = {
  readonly url: string
  readonly metricsUrl: string
  readonly key: string
  /** Creates the working folder for the blocks of a page. Its `data` is the server's. */
  openFolder(name: string): Promise<string>
  /** Environment of all blocks. Its PATH has the command `adcube`. */
  readonly env: NodeJS.ProcessEnv
}

const main = join(repository, 'src/cli/main.ts')

/** Makes `adcube query` print a table, as on a terminal, where the page shows one. */
const command = `#!/bin/sh
if [ "$1" = query ] && [ -n "$AS_ON_A_TERMINAL" ]; then
  case " $* " in *' -o '*|*' --format '*|*' --json '*) ;; *) set -- "$@" --format table ;; esac
fi
exec '${process.execPath}' '${main}' "$@"
`

/** Starts a server with 16 days of sample data, as `npm start` does, and makes folders to run commands in. */
export async function openPlayground(): Promise<Playground> {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-docs-'))
  const home = join(folder, 'home')
  await mkdir(join(folder, 'bin'))
  await mkdir(home)
  await writeFile(join(folder, 'bin/adcube'), command)
  await chmod(join(folder, 'bin/adcube'), 0o755)
  const client = JSON.stringify(join(repository, 'src/client/index.ts'))
  await mkdir(join(folder, 'node_modules/adcube'), { recursive: true })
  await mkdir(join(folder, 'client'))
  await writeFile(join(folder, 'client/package.json'), '{"type":"module","exports":{"./client":"./client.ts"}}')
  await writeFile(join(folder, 'client/client.ts'), `export * from ${client}\n`)
  await rm(join(folder, 'node_modules/adcube'), { recursive: true })
  await symlink(join(folder, 'client'), join(folder, 'node_modules/adcube'))

  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('ADCUBE_'))
  const env = {
    ...Object.fromEntries(own),
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    NO_COLOR: '1',
    PAGER: 'cat',
    TZ: 'America/Los_Angeles',
  }
  const child = spawn(process.execPath, [main, 'serve', '--demo', '--port', '0', '--metrics-port', '0'], {
    cwd: home,
    env: { ...env, ADCUBE_DEMO_DAYS: '16', ADCUBE_EXPORT_FREE_MB: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)))
  atEnd(async () => {
    await stop(child)
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
  })
  const found = await vi.waitFor(
    () => {
      const [url, key] = [/http:\/\/[\d.:]+/.exec(output.stdout)?.[0], /adc_\w+/.exec(output.stdout)?.[0]]
      const metricsUrl = /Metrics at (http:\/\/[\d.:]+)/.exec(output.stderr)?.[1]
      if (url === undefined || key === undefined || metricsUrl === undefined) throw new Error(output.stderr)
      return { url, key, metricsUrl }
    },
    { timeout: 60_000, interval: 50 },
  )
  // With the real rate limits, the tests would have to wait.
  const change = ['account', 'set', 'aurora-games', '--rate-factor', '100']
  await promisify(execFile)(process.execPath, [main, ...change], { cwd: home, env })
  return {
    ...found,
    env: { ...env, ADCUBE_BASE_URL: found.url, ADCUBE_API_KEY: found.key },
    async openFolder(name) {
      const page = join(folder, 'pages', name)
      await mkdir(page, { recursive: true })
      await symlink(join(home, 'data'), join(page, 'data'))
      await symlink(join(folder, 'node_modules'), join(page, 'node_modules'))
      await writeFile(join(page, 'package.json'), '{"type":"module"}')
      return page
    },
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
