import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('the store can be made by several processes at once, and is its owner alone to read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-store-'))
  const module = join(import.meta.dirname, '../../src/store/open-store.ts')
  const code = `const { openStore } = await import(${JSON.stringify(module)})
    const store = await openStore({ folder: ${JSON.stringify(folder)} })
    await store.selectFrom('accounts').selectAll().execute()
    await store.destroy()`
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])
  await Promise.all(Array.from({ length: 6 }, run))
  expect((await stat(join(folder, 'adcube.db'))).mode & 0o077).toBe(0)
  await rm(folder, { recursive: true })
})
