import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { atEnd } from '../setup/at-end.ts'
import { listContext, readDockerfile, runCopy } from '../setup/image.ts'
import { openFolder } from '../setup/serve.ts'

/** Packages of a production installation. A tool for development that stays in the image would add many. */
const packagesMax = 115

it('the image builds from exactly the files that Docker gets, starts and answers', async () => {
  const makeFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adcube-image-'))
    atEnd(() => rm(folder, { recursive: true, force: true }))
    return folder
  }
  const [stages, context, builder, image] = await Promise.all([
    readDockerfile(),
    listContext(),
    makeFolder(),
    makeFolder(),
  ])
  const [build, final] = stages
  for (const copy of build!.copies) await runCopy(copy, context, { from: '.', to: builder })
  // Vitest sets NODE_ENV, which npm and Vite would obey.
  const { NODE_ENV: _, ...others } = process.env
  const env = { ...others, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) }
  for (const command of build!.commands) await promisify(execFile)('sh', ['-ec', command], { cwd: builder, env })

  for (const copy of final!.copies) {
    if (copy.from === undefined) await runCopy(copy, context, { from: '.', to: image })
    else
      for (const source of copy.sources)
        await cp(source.replace('/opt/adcube', builder), join(image, copy.to), {
          recursive: true,
          verbatimSymlinks: true,
        })
  }
  const { packages } = JSON.parse(await readFile(join(image, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>
  }
  expect(Object.keys(packages).length).toBeLessThan(packagesMax)
  expect(Object.entries(packages).filter(([, { dev }]) => dev === true)).toEqual([])
  expect(await readdir(join(image, 'console/dist'))).toContain('index.html')

  const { serve } = await openFolder('image-')
  const server = serve(['--demo', '--demo-days', '1'], { NODE_ENV: 'production' }, join(image, 'src/cli/main.ts'))
  const address = await server.address()
  expect(await (await fetch(`${address}/readyz`)).json()).toEqual({ status: 'ready', warnings: [] })
  expect((await fetch(`${address}/console`)).status).toBe(200)
  const [, url = '', key = '', body = ''] = /^curl -s '([^']+)' -H 'x-api-key: ([^']+)'.* -d '([^']+)'$/m.exec(
    server.output.stdout,
  )!
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
})
