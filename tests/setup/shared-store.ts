import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openStore } from '../../src/store/open-store.ts'
import './provided.ts'

/** Creates one data folder for all test files. Each file creates accounts of its own, so that none affects another. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'adcube-test-'))
  const store = await openStore({ folder })
  await store.destroy()
  project.provide('dataFolder', folder)
  project.provide('clickhouse', undefined)
  return () => rm(folder, { recursive: true, force: true })
}
