import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { atEnd } from './setup/at-end.ts'
import { listContext, readDockerfile, readIgnoreFile, runCopy } from './setup/image.ts'

const run = promisify(execFile)

describe('the Dockerfile', async () => {
  const stages = await readDockerfile()
  const context = await listContext()

  it('copies only files that exist and that the ignore file lets through', () => {
    const sources = stages.flatMap(({ copies }) => copies.filter(({ from }) => from === undefined))
    expect(sources.length).toBeGreaterThan(3)
    const missing = sources
      .flatMap(({ sources: paths }) => paths)
      .filter((source) => !context.some((path) => path === source || path.startsWith(`${source}/`)))
    expect(missing).toEqual([])
  })

  it('gets no data, secrets, packages, tests or builds from the folder', async () => {
    const isSent = await readIgnoreFile()
    const others = ['data/adcube.db', '.env', '.git/HEAD', 'node_modules/pg/package.json', 'console/dist/index.html']
    expect(others.filter(isSent)).toEqual([])
    expect(context.filter((path) => path.includes('.test.'))).toEqual([])
  })

  it('makes an image whose command runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adcube-image-'))
    atEnd(() => rm(folder, { recursive: true, force: true }))
    for (const copy of stages.at(-1)!.copies.filter(({ from }) => from === undefined))
      await runCopy(copy, context, { from: '.', to: folder })
    await symlink(resolve('node_modules'), join(folder, 'node_modules'))
    const { stdout } = await run(process.execPath, [join(folder, 'src/cli/main.ts'), '--version'])
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string }
    expect(stdout.trim()).toBe(version)
  })
})

describe('the units of systemd', () => {
  const units = ['ops/systemd/adcube.service', 'ops/systemd/adcube-worker.service']
  const findAnalyzer = () => run('systemd-analyze', ['--version']).catch(() => undefined)

  it('restart however often they have failed', async () => {
    for (const unit of units) {
      const [section = ''] = (await readFile(unit, 'utf8')).split('[Service]')
      expect(section).toMatch(/^StartLimitIntervalSec=0$/m)
    }
  })

  it('are accepted by systemd', async ({ skip }) => {
    if (!(await findAnalyzer())) skip('systemd-analyze is not installed')
    const { stdout, stderr } = await run('systemd-analyze', ['verify', ...units.map((unit) => resolve(unit))])
    expect(stdout + stderr).toBe('')
  })
})
