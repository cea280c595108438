import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { atEnd } from './setup/at-end.ts'
import { openFolder } from './setup/serve.ts'

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'adcube-package-'))
atEnd(() => rm(folder, { recursive: true, force: true }))

// The steps of `npm pack`, without the console, which other tests use at the same time.
await run('npm', ['run', 'prepack'])
await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder])
const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''

/** Creates an empty project with the package installed. Its dependencies are those of this folder. */
const project = join(folder, 'project')
const modules = join(project, 'node_modules')
await mkdir(modules, { recursive: true })
for (const name of await readdir('node_modules')) {
  if (name !== 'adcube' && !name.startsWith('.')) await symlink(resolve('node_modules', name), join(modules, name))
}
await run('tar', ['-xzf', join(folder, tarball), '-C', modules])
await run('mv', [join(modules, 'package'), join(modules, 'adcube')])
await writeFile(join(project, 'package.json'), '{ "type": "module" }')

const program = `
import { Adcube, AdcubeError, type Row } from 'adcube/client'

const adcube = new Adcube({ baseUrl: process.env['ADCUBE_BASE_URL']!, apiKey: process.env['ADCUBE_API_KEY']! })
const [range] = await adcube.ranges()
const { data } = await adcube.query('auctions', {
  start: range!.end!,
  end: range!.end!,
  dimensions: ['Country'],
  metrics: ['Auctions', 'eCPM'],
})
const first: Row<'Country', 'Auctions' | 'eCPM'> = data[0]!
const auctions: number | null = first.Auctions
// @ts-expect-error It was not asked for.
first.Clicks
// @ts-expect-error There is no such field.
adcube.query('auctions', { start: '', end: '', dimensions: ['Contry'], metrics: [] }).catch((error: AdcubeError) => error.code)
console.log(JSON.stringify({ auctions }))
`

describe('the package', () => {
  it('has types for other projects', async () => {
    // Import by file name: under Vitest, the package's name is its TypeScript source.
    const { createPackageFromTarballData, checkPackage } = await import(
      resolve('node_modules/@arethetypeswrong/core/dist/index.js')
    )
    const { types, problems } = await checkPackage(createPackageFromTarballData(await readFile(join(folder, tarball))))
    expect(types).toMatchObject({ kind: 'included' })
    // The package is for ES modules and resolvers that support "exports".
    const known = new Set(['CJSResolvesToESM', 'NoResolution'])
    const isKnown = ({ kind, resolutionKind = '' }: { kind: string; resolutionKind?: string }) =>
      known.has(kind) && (kind !== 'NoResolution' || resolutionKind === 'node10')
    expect(problems.filter((problem: { kind: string }) => !isKnown(problem))).toEqual([])
  })

  it('has a client with one dependency, which runs everywhere', async () => {
    const client = join(modules, 'adcube/dist/client')
    for (const name of (await readdir(client)).filter((each) => each.endsWith('.js'))) {
      const imports = (await readFile(join(client, name), 'utf8')).matchAll(/(?:from|import\() ?'([^']+)'/g)
      for (const [, from] of imports) expect(from).toMatch(/^(\.|@noble\/hashes)\/[\w-]+\.js$/)
    }
  })

  it('starts a server, and its client compiles in strict mode and sends a query', async () => {
    const main = join(modules, 'adcube/dist/cli/main.js')
    const { serve } = await openFolder('package')
    const { address, output } = serve(['--demo', '--demo-days', '2'], {}, main)
    const env = { ...process.env, ADCUBE_BASE_URL: await address(), ADCUBE_API_KEY: /adc_\w+/.exec(output.stdout)![0] }
    await writeFile(join(project, 'program.ts'), program)
    const compile = ['--strict', '--noEmit', '--target', 'esnext', '--types', 'node']
    const compiler = resolve('node_modules/typescript/bin/tsc')
    for (const module of [
      ['--module', 'nodenext'],
      ['--module', 'esnext', '--moduleResolution', 'bundler'],
    ]) {
      await run(process.execPath, [compiler, ...compile, ...module, 'program.ts'], { cwd: project }).catch(
        (error: { stdout: string }) => expect.fail(error.stdout),
      )
    }
    const { stdout } = await run(process.execPath, ['program.ts'], { cwd: project, env })
    expect(JSON.parse(stdout).auctions).toBeGreaterThan(0)
    const { stdout: table } = await run(process.execPath, [main, 'query', 'auctions', '-m', 'Auctions'], { env })
    expect(table).toMatch(/^Auctions\r\n\d+\r\n$/)
  })
})
